import { JOIN_KINDS, type JoinKind } from '../../domain/observed/join-calls.ts';
import {
  ASSISTANTS,
  OBSERVED_SOURCES,
  type ObservedCall,
  type ObservedCost,
  observedTotals,
  SIGNALS,
} from '../../domain/observed/observed-call.ts';
import { storedWord } from '../records/stored-word.ts';
import type { ObservedAdjustment, RecordedObservation } from '../observed-store.ts';
import type { SqlContext } from './entry-table.ts';
import type { IdOf, TextOf } from './name-table.ts';
import { number, numberOrNull, type ResultRow, text, textOrNull } from './result-row.ts';
import { askEach, type RowInsert, type SqlSteps, type SqlValue } from './steps.ts';

/** States of a stored call. A `new` one was not joined yet and counts nothing. */
const STATES = ['new', 'counted', 'joined', 'repeated'] as const;
type StoredState = (typeof STATES)[number];

/** A stored call, with its numbers. */
export interface ObservedRow extends ObservedCost {
  readonly id: number;
  readonly workspace: number;
  readonly call: ObservedCall;
  readonly recordedAt: number;
  readonly state: StoredState;
  readonly figuresOf: string | null;
  readonly joinedBy: JoinKind | null;
  readonly possibleDuplicates: readonly string[];
}

const COLUMNS = [
  'workspace',
  'observation',
  'source',
  'signal',
  'assistant',
  'token',
  'provider',
  'model',
  'started_at',
  'ended_at',
  'recorded_at',
  'session',
  'tags',
  'details',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'cost',
  'uncertain_up_to',
  'price_version',
  'state',
  'figures_of',
  'joined_by',
  'possible',
];
const STANDING = ['cost', 'uncertain_up_to', 'price_version', 'state', 'figures_of', 'joined_by', 'possible'];

export const INSERT_OBSERVED: RowInsert = {
  table: 'observed_calls',
  columns: COLUMNS,
  keyColumns: 0,
  onConflict: 'ON CONFLICT DO NOTHING',
  returning: ['id', 'observation'],
};
export const UPDATE_OBSERVED = `UPDATE observed_calls SET ${STANDING.map((one) => `${one} = ?`).join(', ')} WHERE id = ?`;

const NAMED = ['source', 'signal', 'assistant', 'token', 'provider', 'model', 'state', 'joined_by'];

/** Returns the values of a call that is not joined yet. */
export function newObservedColumns(
  call: ObservedCall,
  cost: ObservedCost,
  { workspaceId, at }: { readonly workspaceId: string; readonly at: number },
  idOf: IdOf,
): SqlValue[] {
  const { providerIds, callId, context, tags, usage, statedCost } = call;
  const tagged = Object.keys(tags).length > 0;
  const totals = observedTotals(call, cost);
  return [
    idOf(workspaceId),
    call.observationId,
    idOf(call.source),
    idOf(call.signal),
    idOf(call.assistant),
    idOf(call.tokenId),
    idOf(call.provider),
    idOf(call.model),
    call.startedAt,
    call.endedAt,
    at,
    call.session,
    tagged ? JSON.stringify(tags) : null,
    JSON.stringify({ providerIds, callId, context, usage, statedCost } satisfies ObservedDetails),
    totals.inputTokens,
    totals.cacheReadTokens,
    totals.cacheWriteTokens,
    totals.outputTokens,
    ...standingColumns({ ...cost, state: 'new', figuresOf: null, joinedBy: null, possibleDuplicates: [] }, idOf),
  ];
}

type ObservedDetails = Pick<ObservedCall, 'providerIds' | 'callId' | 'context' | 'usage' | 'statedCost'>;
export type ObservedStanding = Pick<
  ObservedRow,
  'cost' | 'uncertainUpTo' | 'priceVersion' | 'state' | 'figuresOf' | 'joinedBy' | 'possibleDuplicates'
>;

/** Returns the values of `STANDING`. */
export function standingColumns(standing: ObservedStanding, idOf: IdOf): SqlValue[] {
  const { cost, uncertainUpTo, priceVersion, state, figuresOf, joinedBy, possibleDuplicates: possible } = standing;
  const duplicates = possible.length === 0 ? null : JSON.stringify(possible);
  return [cost, uncertainUpTo, priceVersion, idOf(state), figuresOf, idOf(joinedBy), duplicates];
}

export function* toObservedRows({ names }: SqlContext, rows: readonly ResultRow[]): SqlSteps<ObservedRow[]> {
  const textOf = yield* names.texts(rows.flatMap((row) => NAMED.map((column) => row[column])));
  return rows.map((row) => toObservedRow(row, textOf));
}

function toObservedRow(row: ResultRow, textOf: TextOf): ObservedRow {
  const nameOf = (column: string): string => textOf(row[column]) ?? '';
  const [assistant, joinedBy, possible] = [nameOf('assistant'), nameOf('joined_by'), textOrNull(row, 'possible')];
  const tags = textOrNull(row, 'tags');
  return {
    id: number(row, 'id'),
    workspace: number(row, 'workspace'),
    call: {
      ...(JSON.parse(text(row, 'details')) as ObservedDetails),
      observationId: text(row, 'observation'),
      tags: tags === null ? {} : (JSON.parse(tags) as Record<string, string>),
      source: storedWord(OBSERVED_SOURCES, nameOf('source')),
      signal: storedWord(SIGNALS, nameOf('signal')),
      assistant: assistant === '' ? null : storedWord(ASSISTANTS, assistant),
      tokenId: nameOf('token'),
      provider: nameOf('provider'),
      model: nameOf('model'),
      startedAt: number(row, 'started_at'),
      endedAt: number(row, 'ended_at'),
      session: textOrNull(row, 'session'),
    },
    recordedAt: number(row, 'recorded_at'),
    cost: numberOrNull(row, 'cost'),
    uncertainUpTo: number(row, 'uncertain_up_to'),
    priceVersion: textOrNull(row, 'price_version'),
    state: storedWord(STATES, nameOf('state')),
    figuresOf: textOrNull(row, 'figures_of'),
    joinedBy: joinedBy === '' ? null : storedWord(JOIN_KINDS, joinedBy),
    possibleDuplicates: possible === null ? [] : (JSON.parse(possible) as string[]),
  };
}

const READ_ADJUSTMENTS = 'SELECT * FROM observed_adjustments WHERE observed = ?';
const REASONS = ['gateway', 'repeated', 'released', 'price'] as const satisfies ObservedAdjustment['reason'][];

/** Reads calls with their adjustments, oldest first. */
export function* toRecordedObservations(
  context: SqlContext,
  rows: readonly ResultRow[],
): SqlSteps<RecordedObservation[]> {
  const stored = yield* toObservedRows(context, rows);
  const ids = stored.map(({ id }) => [id]);
  const adjustments = Map.groupBy(yield* askEach(READ_ADJUSTMENTS, ids), (row) => number(row, 'observed'));
  return stored.map((row): RecordedObservation => {
    const own = (adjustments.get(row.id) ?? []).toSorted((a, b) => number(a, 'id') - number(b, 'id'));
    const state = row.state === 'new' ? 'counted' : row.state;
    return Object.assign(row, { state, adjustments: own.map(toObservedAdjustment) });
  });
}

function toObservedAdjustment(row: ResultRow): ObservedAdjustment {
  return {
    recordedAt: number(row, 'recorded_at'),
    costBefore: numberOrNull(row, 'cost_before'),
    costAfter: numberOrNull(row, 'cost_after'),
    reason: storedWord(REASONS, text(row, 'reason')),
  };
}
