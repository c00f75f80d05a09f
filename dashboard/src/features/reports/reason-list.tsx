import type { ReactNode } from 'react';
import { isolated } from '../../shared/format/isolated.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { Cents } from '../../shared/ui/values.tsx';
import type { ReasonNames, ReconciledOrganization } from './queries.ts';
import { REASON_ADVICE, type ReasonName, shownReasons, wrappedText } from './reconciliation-text.ts';
import { formatDate } from '../../../../src/domain/text/dates.ts';
import { shortDollars } from '../../../../src/domain/text/money.ts';

interface ReasonRow {
  readonly reason: ReasonName;
  readonly name: string;
  readonly amount: number;
  readonly organization: ReconciledOrganization;
}

const DETAILS_MAX = 5;
const PRICE_ORIGINS = { custom: 'custom price', list: 'list price', none: 'no price' } as const;

interface ReasonListProps {
  readonly organization: ReconciledOrganization;
  readonly reasonNames: ReasonNames;
}

/** Reasons why bill and ledger differ, with amounts and advice. */
export function ReasonList({ organization, reasonNames }: ReasonListProps): ReactNode {
  const rows = shownReasons(organization.reasons).map(([reason, amount]) => ({
    reason,
    name: reasonNames[reason],
    amount,
    organization,
  }));
  return (
    <DataTable
      name={`Differences between bill and ledger of ${organization.name}`}
      columns={reasonColumns}
      rows={rows}
      rowKey={({ reason }) => reason}
    />
  );
}

const reasonColumns: readonly TableColumn<ReasonRow>[] = [
  {
    id: 'reason',
    name: 'Reason',
    cell: (row) => (
      <>
        {row.name}
        <ReasonAdvice of={row} />
      </>
    ),
  },
  { id: 'amount', name: 'Bill − ledger', figures: true, cell: ({ amount }) => <Cents usd={amount} /> },
];

function ReasonAdvice({ of: { reason, amount, organization } }: { readonly of: ReasonRow }): ReactNode {
  if (amount === 0) return <div className="soft">Every difference is explained.</div>;
  return [REASON_ADVICE[reason], ...reasonDetails(reason, organization)].map((text) => (
    <div key={text} className="soft">
      {text}
    </div>
  ));
}

interface ByKey {
  readonly key: ReconciledOrganization['keys'][number]['key'];
  readonly amount: number;
  readonly why?: string | null;
}

/** Lists the most expensive keys by name and the sum of the others. */
export function keyLines(keys: readonly ByKey[]): readonly string[] {
  const rest = keys.slice(DETAILS_MAX);
  const sum = rest.reduce((all, { amount }) => all + amount, 0);
  return [
    ...keys.slice(0, DETAILS_MAX).map(keyLine),
    ...(rest.length > 0 ? [`${rest.length} more: ${shortDollars(sum)}`] : []),
  ];
}

function keyLine({ key, amount, why }: ByKey): string {
  const name = key === null ? 'No key' : isolated(key.name ?? key.id);
  const wrapped = wrappedText(key);
  const text = `${name}${wrapped && ` (${wrapped})`}: ${shortDollars(amount)}`;
  return why ? `${text}. ${why}` : text;
}

/** Lists the keys or prices behind a reason. */
function reasonDetails(
  reason: ReasonName,
  { keys, unresolvedCalls, prices }: ReconciledOrganization,
): readonly string[] {
  if (reason === 'outside_gateway' || reason === 'batch') return keyLines(keys.filter((one) => one.reason === reason));
  if (reason === 'uncertain_calls') return keyLines(unresolvedCalls);
  if (reason !== 'price_drift' && reason !== 'no_price') return [];
  return prices
    .filter(({ price }) => (price === 'none') === (reason === 'no_price'))
    .slice(0, DETAILS_MAX)
    .map(
      ({ model, price, since, isOlder, amount }) =>
        `${model ?? 'Unknown model'}, ${PRICE_ORIGINS[price]}, ${isOlder ? `on ${formatDate(since, 'UTC')} or earlier` : `since ${formatDate(since, 'UTC')}`}: ${shortDollars(amount)}`,
    );
}
