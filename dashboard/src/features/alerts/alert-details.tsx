import { PageLink } from '../../shared/ui/links.tsx';
import { describeRefusalReason } from '../../../../src/domain/text/refusals.ts';
import { formatCount } from '../../../../src/domain/text/counts.ts';
import type { ReactNode } from 'react';
import type { AnomalyShape } from '../../../../src/contract/anomalies.ts';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { ALERT_TYPE_NAMES, fieldTitle } from '../../shared/names/display-names.ts';
import { limitName } from '../../shared/limits/limit-text.ts';
import { LimitValue } from '../../shared/limits/limit-value.tsx';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { More } from '../../shared/ui/more.tsx';
import { Instant } from '../../shared/ui/values.tsx';
import { alertAmountText } from './alert-text.ts';
import { formatPercent } from '../../../../src/domain/text/percent.ts';

export function AlertFacts({ alert }: { readonly alert: AlertShape }): ReactNode {
  const { id, type, createdAt, resolvedAt, readAt, period, scope, value, threshold, evidence } = alert;
  const { unit, baseline } = evidence;
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
            [alertScopeName(name), <ScopePart key={name} name={name} of={of} limitId={scope['limit']} />] as const,
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

function alertScopeName(name: string): string {
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

type AlertMover = AnomalyShape['evidence']['movers'][number];

/** Evidence of an alert: the parts that changed, the recorded values, and the raw data. */
export function AlertEvidence({ alert }: { readonly alert: AlertShape }): ReactNode {
  const { evidence } = alert;
  const keyNames = useKeyNames();
  if (Object.keys(evidence).length === 0) return null;
  const movers = readMovers(evidence);
  const unit = alert.type === 'ERROR_SPIKE' ? 'calls' : evidence['unit'];
  const values = Object.entries(evidence).filter(([name, value]) => !SHOWN_ELSEWHERE.has(name) && isSingle(value));
  return (
    <Card title="Evidence">
      {movers.length > 0 && (
        <DataTable
          name="Largest changes"
          columns={moverColumns(unit, keyNames)}
          rows={movers}
          rowKey={({ scope }) => JSON.stringify(scope)}
        />
      )}
      {values.length > 0 && (
        <Facts
          of={values.map(([name, value]) => [
            EVIDENCE_NAMES[name] ?? fieldTitle(name),
            <EvidenceValue key={name} name={name} value={value} unit={unit} />,
          ])}
        />
      )}
      <More title="Raw data (JSON)">
        <pre className="plain" tabIndex={0} role="group" aria-label="Raw data">
          {JSON.stringify(evidence, null, 2)}
        </pre>
      </More>
    </Card>
  );
}

/** The facts of the alert show these fields. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['unit', 'baseline', 'movers']);
const AMOUNT_FIELDS: ReadonlySet<string> = new Set([
  'amount',
  'held',
  'counted',
  'need',
  'needed',
  'left',
  'remaining',
]);
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

function isSingle(value: unknown): value is string | number | boolean {
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
  if (WORD_FIELDS.has(name)) return fieldTitle(String(value));
  if (name === 'key') return isolated(keyNames.get(String(value)) ?? String(value));
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value !== 'number') return isolated(String(value));
  if (TIME_FIELD.test(name)) return <Instant at={new Date(value).toISOString()} />;
  return AMOUNT_FIELDS.has(name) ? alertAmountText(unit, value) : formatCount(value);
}

/** Evidence has no fixed shape: only `movers` is shown as a table of changes. */
function readMovers({ movers }: AlertShape['evidence']): readonly AlertMover[] {
  return Array.isArray(movers) ? (movers as readonly AlertMover[]) : [];
}

function moverColumns(unit: unknown, keyNames: ReadonlyMap<string, string>): readonly TableColumn<AlertMover>[] {
  return [
    {
      id: 'name',
      name: 'Part',
      cell: ({ name, scope, isNew }) => `${isolated(keyNames.get(scope['key'] ?? '') ?? name)}${isNew ? ' (new)' : ''}`,
    },
    { id: 'value', name: 'Now', figures: true, cell: ({ value }) => alertAmountText(unit, value) },
    { id: 'baseline', name: 'Usual', figures: true, cell: ({ baseline }) => alertAmountText(unit, baseline) },
    { id: 'share', name: 'Share of change', figures: true, wideOnly: true, cell: ({ share }) => formatPercent(share) },
  ];
}
