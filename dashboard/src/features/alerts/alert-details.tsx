import { PageLink } from '../../shared/ui/links.tsx';
import { describeRefusalReason } from '../../../../src/domain/text/refusals.ts';
import { formatCount } from '../../../../src/domain/text/counts.ts';
import type { ReactNode } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { ALERT_TYPE_NAMES, fieldTitle } from '../../shared/names/display-names.ts';
import { limitName, limitValueName } from '../../shared/limits/limit-text.ts';
import { LimitValue } from '../../shared/limits/limit-value.tsx';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { Instant } from '../../shared/ui/values.tsx';
import { alertAmountText } from './alert-text.ts';
import { formatUsd, shortDollars, type UsdRounding } from '../../../../src/domain/text/money.ts';

export function AlertFacts({ alert }: { readonly alert: AlertShape }): ReactNode {
  const { id, type, createdAt, resolvedAt, readAt, period, scope, value, threshold, evidence } = alert;
  const { unit, baseline } = evidence;
  const { data } = useLimits();
  const limit = data?.limits.find((each) => each.id === scope['limit']);
  return (
    <Facts
      of={[
        ['Type', ALERT_TYPE_NAMES[type]],
        ['Value', alertAmountText(unit, value)],
        ['Usual', alertAmountText(unit, typeof baseline === 'number' ? baseline : null)],
        ['Threshold', alertAmountText(unit, threshold)],
        [
          'Time',
          period && (
            <span key="period">
              <Instant at={period.start} />
              {period.end !== null && (
                <>
                  {' to '}
                  <Instant at={period.end} />
                </>
              )}
            </span>
          ),
        ],
        ...Object.entries(scope).map(
          ([name, of]) =>
            [
              alertScopeName(name, limit),
              <ScopePart key={name} name={name} of={of} limitId={scope['limit']} />,
            ] as const,
        ),
        ['Raised', <Instant key="raised" at={createdAt} />],
        ['Resolved', resolvedAt === null ? null : <Instant key="over" at={resolvedAt} />],
        ['Read', readAt === null ? 'No' : <Instant key="read" at={readAt} />],
        ['ID', <code key="id">{id}</code>],
      ]}
    />
  );
}

const SCOPE_NAMES: Readonly<Record<string, string>> = {
  key: 'Key',
  model: 'Model',
  provider: 'Provider',
  limit: 'Limit',
  value: 'Value',
  webhook: 'Webhook',
  adminKey: 'Connection',
};

export function alertScopeName(name: string, limit: LimitStanding | undefined): string {
  if (name === 'value' && limit) return limitValueName(limit.scope);
  return SCOPE_NAMES[name] ?? name.replace(/^tag:/, 'Tag ');
}

interface ScopePartProps {
  readonly name: string;
  readonly of: string;
  /** The limit that the alert is about. */
  readonly limitId: string | undefined;
}

/** One part of what an alert is about, by its name and with its page. */
function ScopePart({ name, of, limitId }: ScopePartProps): ReactNode {
  const keyNames = useKeyNames();
  const { data } = useLimits();
  const limit = data?.limits.find(({ id }) => id === limitId);
  if (name === 'key') return <PageLink to={`/keys/${of}`}>{isolated(keyNames.get(of) ?? of)}</PageLink>;
  if (name === 'limit' && limit)
    return <PageLink to={`/limits/${of}`}>{limitName(limit, (id) => keyNames.get(id) ?? id)}</PageLink>;
  return name === 'value' && limit ? <LimitValue scope={limit.scope} value={of} /> : isolated(of);
}

/** Evidence of an alert, as labels and values. */
export function AlertEvidence({ alert }: { readonly alert: AlertShape }): ReactNode {
  const { evidence } = alert;
  const unit = alert.type === 'ERROR_SPIKE' ? 'calls' : evidence['unit'];
  const values = Object.entries(evidence).filter(
    ([name, value]) => !SHOWN_ELSEWHERE.has(name) && !isWholeTime(name, value) && isLine(value),
  );
  const [amounts, keys] = [readOverrunAmounts(evidence), readGrownKeys(evidence)];
  if (values.length + amounts.length + keys.length === 0) return null;
  return (
    <Card title="Evidence">
      {values.length > 0 && (
        <Facts
          of={values.map(([name, value]) => [
            EVIDENCE_NAMES[name] ?? fieldTitle(name),
            <EvidenceValue key={name} name={name} value={value} unit={unit} />,
          ])}
        />
      )}
      {amounts.length > 0 && (
        <DataTable name="Maximum and charged" columns={amountColumns} rows={amounts} rowKey={({ name }) => name} />
      )}
      {keys.length > 0 && <DataTable name="Keys" columns={grownKeyColumns} rows={keys} rowKey={({ id }) => id ?? ''} />}
    </Card>
  );
}

/** The message and the facts of the alert show these fields. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  'unit',
  'baseline',
  'movers',
  'help',
  'isUsedUp',
  'key',
  'model',
]);
const AMOUNT_FIELDS: ReadonlySet<string> = new Set([
  'amount',
  'held',
  'counted',
  'need',
  'needed',
  'left',
  'remaining',
]);
/** Rounding of amounts, equal to that of the message. */
const ROUNDING: Readonly<Record<string, UsdRounding>> = { need: 'up', needed: 'up', left: 'down', remaining: 'down' };
const EVIDENCE_NAMES: Readonly<Record<string, string>> = {
  held: 'Reserved',
  counted: 'Used',
  need: 'Needed',
  remaining: 'Left',
  windowStart: 'Window began',
  callId: 'Call',
};
/** Fields whose value is a word of the API, such as `hour_of_day`. */
const WORD_FIELDS: ReadonlySet<string> = new Set(['kind', 'basis', 'source', 'what', 'step']);
const TIME_FIELD = /(?:Start|End|At)$/u;

/** Returns true for the start of a window that never ends. */
function isWholeTime(name: string, value: unknown): boolean {
  return name === 'windowStart' && value === 0;
}

/** Values that fit into a line. Tables show the others. */
function isLine(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((each) => typeof each === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}

interface EvidenceValueProps {
  readonly name: string;
  readonly value: unknown;
  readonly unit: unknown;
}

function EvidenceValue({ name, value, unit }: EvidenceValueProps): ReactNode {
  const keyNames = useKeyNames();
  if (name === 'reason') return describeRefusalReason(String(value));
  if (Array.isArray(value)) return value.map((each) => fieldTitle(String(each))).join(', ');
  if (WORD_FIELDS.has(name)) return fieldTitle(String(value));
  if (name === 'key') return isolated(keyNames.get(String(value)) ?? String(value));
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value !== 'number') return isolated(String(value));
  if (TIME_FIELD.test(name)) return <Instant at={new Date(value).toISOString()} />;
  return AMOUNT_FIELDS.has(name) ? alertAmountText(unit, value, ROUNDING[name]) : formatCount(value);
}

interface AmountRow {
  readonly name: string;
  readonly bound: string;
  readonly charged: string;
}

/** Amounts of a call that was charged more than its maximum; dollars are nano-dollars in them. */
const CALL_AMOUNTS = [
  ['usd', 'Cost', (amount: number) => formatUsd(amount)],
  ['inputTokens', 'Input tokens', formatCount],
  ['outputTokens', 'Output tokens', formatCount],
] as const;

function readOverrunAmounts({ need, counted }: AlertShape['evidence']): readonly AmountRow[] {
  if (!hasFields(need) || !hasFields(counted)) return [];
  return CALL_AMOUNTS.flatMap(([field, name, format]) => {
    const [bound, charged] = [need[field], counted[field]];
    if (typeof bound !== 'number' || typeof charged !== 'number') return [];
    return [{ name, bound: format(bound), charged: format(charged) }];
  });
}

const amountColumns: readonly TableColumn<AmountRow>[] = [
  { id: 'name', name: 'Amount', cell: ({ name }) => name },
  { id: 'bound', name: 'Maximum', figures: true, cell: ({ bound }) => bound },
  { id: 'charged', name: 'Charged', figures: true, cell: ({ charged }) => charged },
];

/** A provider key that spends more outside the gateway. */
interface GrownKey {
  readonly id: string | null;
  readonly name: string | null;
  readonly usdADay: number;
  readonly usdADayBefore: number;
}

function readGrownKeys({ keys }: AlertShape['evidence']): readonly GrownKey[] {
  return Array.isArray(keys) ? (keys as readonly GrownKey[]) : [];
}

const grownKeyColumns: readonly TableColumn<GrownKey>[] = [
  { id: 'name', name: 'Key', cell: ({ id, name }) => isolated(name ?? id ?? 'No key') },
  { id: 'before', name: 'Before, a day', figures: true, cell: ({ usdADayBefore }) => shortDollars(usdADayBefore) },
  { id: 'now', name: 'Now, a day', figures: true, cell: ({ usdADay }) => shortDollars(usdADay) },
];

function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
