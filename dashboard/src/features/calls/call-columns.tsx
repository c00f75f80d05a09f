import type { ReactNode } from 'react';
import type { EntryShape } from '../../../../src/contract/entries.ts';
import { isUnsettledBatch } from '../../../../src/domain/text/batches.ts';
import { formatSeconds, formatShortTime } from '../../../../src/domain/text/dates.ts';
import { describeDuration } from '../../../../src/domain/text/durations.ts';
import { exactDollars, maximumDollars, usdColumn } from '../../../../src/domain/text/money.ts';
import { sourceName } from '../../shared/names/display-names.ts';
import { SessionLink } from '../../shared/names/session-name.tsx';
import { useZone } from '../../shared/time/clock.ts';
import type { TableColumn } from '../../shared/ui/data-table.tsx';
import { openHere, PageLink } from '../../shared/ui/links.tsx';
import { Count, FirstTag, tagTexts } from '../../shared/ui/values.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';

/** Columns to choose from, in order. */
const COLUMN_NAMES = {
  key: 'Key',
  tags: 'Tags',
  outcome: 'Outcome',
  error: 'Error type',
  provider: 'Provider',
  operation: 'Operation',
  source: 'Source',
  session: 'Session',
  agent: 'Agent',
  run: 'Run',
  input: 'Input',
  cacheRead: 'Cache reads',
  cacheWrite: 'Cache writes',
  output: 'Output',
  thinking: 'Thinking',
  firstByte: 'First byte',
  duration: 'Duration',
} as const;

export type CallColumn = keyof typeof COLUMN_NAMES;
export const CALL_COLUMNS = Object.keys(COLUMN_NAMES) as CallColumn[];
export const USUAL_COLUMNS: readonly CallColumn[] = ['key', 'tags', 'outcome', 'input', 'output', 'duration'];

export function columnName(column: CallColumn): string {
  return COLUMN_NAMES[column];
}

export interface CallColumnsView {
  readonly entries: readonly EntryShape[];
  readonly keyNames: ReadonlyMap<string, string>;
  readonly chosen: readonly CallColumn[];
  readonly onOpen: (callId: string) => void;
}

/** Returns the columns of a table of calls: time, model, the chosen ones, cost. */
export function callColumns({
  entries,
  keyNames,
  chosen,
  onOpen,
}: CallColumnsView): readonly TableColumn<EntryShape>[] {
  const keyName = (keyId: string): string => findKeyName(keyNames, keyId);
  const usd = usdColumn(entries.map(({ cost }) => cost));
  return [
    {
      id: 'time',
      name: 'Time',
      sortBy: ({ startedAt }) => startedAt,
      cell: ({ id, startedAt }) => (
        <PageLink to={`/calls/${id}`} onClick={(event) => openHere(event, () => onOpen(id))}>
          <CallTime at={startedAt} />
        </PageLink>
      ),
    },
    { id: 'model', name: 'Model', sortBy: modelName, cell: (call) => <ModelCell call={call} keyName={keyName} /> },
    ...CALL_COLUMNS.filter((column) => chosen.includes(column)).map((column) => chosenColumn(column, keyName)),
    {
      id: 'cost',
      name: 'Cost',
      figures: true,
      sortBy: ({ cost }) => cost,
      cell: (call) => <CallCostCell call={call} usd={usd} />,
    },
  ];
}

/** Time of a call without its year, and on a phone without seconds; the title has all. */
function CallTime({ at }: { readonly at: string }): ReactNode {
  const zone = useZone();
  const whole = formatSeconds(at, zone);
  return (
    <time dateTime={at} title={`${whole} in ${zone}`}>
      {formatShortTime(at, zone)}
      <span className="wide-only">{whole.slice(-SECONDS.length)}</span>
    </time>
  );
}

const SECONDS = ':00';

function modelName({ model, requestedModel, provider }: EntryShape): string {
  return model ?? requestedModel ?? provider;
}

interface ModelCellProps {
  readonly call: EntryShape;
  readonly keyName: (keyId: string) => string;
}

/** The model; on a phone with the key and, unless it is the usual one, the outcome. */
function ModelCell({ call, keyName }: ModelCellProps): ReactNode {
  return (
    <span title={modelName(call)}>
      {modelName(call)}
      <span className="soft beneath narrow">
        {call.outcome === 'completed' && !isUnsettledBatch(call) ? (
          keyName(call.keyId)
        ) : (
          <OutcomeBadge call={call} isShort />
        )}
      </span>
    </span>
  );
}

const FIGURE_COLUMNS: Readonly<Partial<Record<CallColumn, (call: EntryShape) => number | null>>> = {
  input: ({ inputTokens }) => inputTokens,
  cacheRead: ({ tokens }) => tokens.cacheRead ?? 0,
  cacheWrite: ({ tokens }) => (tokens.cacheWrite5m ?? 0) + (tokens.cacheWrite1h ?? 0),
  output: ({ outputTokens }) => outputTokens,
  thinking: ({ thinkingTokens }) => thinkingTokens,
  firstByte: ({ firstByteMs }) => firstByteMs,
  duration: ({ durationMs }) => durationMs,
};

const TIME_COLUMNS: ReadonlySet<CallColumn> = new Set(['firstByte', 'duration']);

function chosenColumn(column: CallColumn, keyName: (keyId: string) => string): TableColumn<EntryShape> {
  const figure = FIGURE_COLUMNS[column];
  const head = { id: column, name: COLUMN_NAMES[column], wideOnly: true };
  if (!figure) return { ...head, ...textColumn(column, keyName) };
  const cell = (call: EntryShape): ReactNode => {
    const value = figure(call);
    if (value === null || isUnsettledBatch(call)) return null;
    return TIME_COLUMNS.has(column) ? describeDuration(value) : <Count of={value} unit="tokens" />;
  };
  return { ...head, figures: true, sortBy: figure, cell };
}

type TextColumn = Pick<TableColumn<EntryShape>, 'sortBy' | 'cell'>;

function textColumn(column: CallColumn, keyName: (keyId: string) => string): Required<TextColumn> {
  if (column === 'tags')
    return { sortBy: ({ tags }) => tagTexts(tags)[0] ?? null, cell: ({ tags }) => <FirstTag tags={tags} /> };
  if (column === 'outcome') return { sortBy: ({ outcome }) => outcome, cell: (call) => <OutcomeBadge call={call} /> };
  const text = (call: EntryShape): string | null => readTextCell(column, call, keyName);
  if (column === 'session')
    return { sortBy: text, cell: ({ session }) => session !== null && <SessionLink session={session} /> };
  return { sortBy: text, cell: (call) => <span title={text(call) ?? undefined}>{text(call)}</span> };
}

function readTextCell(column: CallColumn, call: EntryShape, keyName: (keyId: string) => string): string | null {
  switch (column) {
    case 'key':
      return keyName(call.keyId);
    case 'source':
      return sourceName(call.source);
    case 'error':
      return call.errorType;
    case 'provider':
    case 'operation':
    case 'session':
    case 'agent':
    case 'run':
      return call[column];
    default:
      return null;
  }
}

interface CallCostCellProps {
  readonly call: EntryShape;
  readonly usd: (cost: number | null) => string;
}

/** The cost with as many decimals as the others, marked when it is uncertain. */
function CallCostCell({ call, usd }: CallCostCellProps): ReactNode {
  const { cost, uncertainUpTo } = call;
  if (isUnsettledBatch(call) && uncertainUpTo !== undefined)
    return (
      <data className="figure soft" value={uncertainUpTo} title="The most that the batch can cost">
        ≤ {maximumDollars(uncertainUpTo)}
      </data>
    );
  const mark = uncertainUpTo === undefined ? null : <abbr title={`Up to ${exactDollars(uncertainUpTo)} more`}>±</abbr>;
  return (
    <data className={cost === null ? 'figure soft' : 'figure'} value={cost ?? ''} title={exactDollars(cost)}>
      {mark} {cost === null ? 'unknown' : usd(cost)}
    </data>
  );
}

/** Returns '' until the names are loaded, so no ID flashes before its name. */
function findKeyName(keyNames: ReadonlyMap<string, string>, keyId: string): string {
  return keyNames.get(keyId) ?? (keyNames.size === 0 ? '' : keyId);
}
