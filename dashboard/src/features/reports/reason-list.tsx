import type { ReactNode } from 'react';
import { isolated } from '../../shared/format/isolated.ts';
import { formatUsd } from '../../shared/format/money.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { Money } from '../../shared/ui/values.tsx';
import type { ReasonNames, ReconciledOrganization } from './queries.ts';
import { REASON_ADVICE, type ReasonName, shownReasons, wrappedText } from './reconciliation-text.ts';

interface ReasonRow {
  readonly reason: ReasonName;
  readonly name: string;
  readonly amount: number;
  readonly organization: ReconciledOrganization;
}

const DETAILS_MAX = 5;
const PRICE_ORIGINS = { own: 'the book’s own price', list: 'the price list', none: 'no price' } as const;

interface ReasonListProps {
  readonly organization: ReconciledOrganization;
  readonly reasonNames: ReasonNames;
}

/** Why bill and book differ, each reason with its amount and what to do. */
export function ReasonList({ organization, reasonNames }: ReasonListProps): ReactNode {
  const rows = shownReasons(organization.reasons).map(([reason, amount]) => ({
    reason,
    name: reasonNames[reason],
    amount,
    organization,
  }));
  return (
    <DataTable
      name={`Why the bill of ${organization.name} differs from the book`}
      columns={reasonColumns}
      rows={rows}
      rowKey={({ reason }) => reason}
    />
  );
}

const reasonColumns: readonly TableColumn<ReasonRow>[] = [
  {
    id: 'reason',
    name: 'Why they differ',
    cell: (row) => (
      <>
        {row.name}
        <ReasonAdvice of={row} />
      </>
    ),
  },
  { id: 'amount', name: 'Bill less book', figures: true, cell: ({ amount }) => <Money usd={amount} /> },
];

function ReasonAdvice({ of: { reason, amount, organization } }: { readonly of: ReasonRow }): ReactNode {
  if (amount === 0) return <div className="soft">Nothing: every difference has a reason.</div>;
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

/** The dearest by name, the others together, so that they come to the whole. */
export function keyLines(keys: readonly ByKey[]): readonly string[] {
  const rest = keys.slice(DETAILS_MAX);
  const sum = rest.reduce((all, { amount }) => all + amount, 0);
  return [
    ...keys.slice(0, DETAILS_MAX).map(keyLine),
    ...(rest.length > 0 ? [`${rest.length} more: ${formatUsd(sum)}`] : []),
  ];
}

function keyLine({ key, amount, why }: ByKey): string {
  const name = key === null ? 'Without a key' : isolated(key.name ?? key.id);
  const wrapped = wrappedText(key);
  const text = `${name}${wrapped && ` (${wrapped})`}: ${formatUsd(amount)}`;
  return why ? `${text}. ${why}` : text;
}

/** Which keys, and which prices. */
function reasonDetails(reason: ReasonName, { keys, lost, prices }: ReconciledOrganization): readonly string[] {
  if (reason === 'outside_gateway' || reason === 'batch') return keyLines(keys.filter((one) => one.reason === reason));
  if (reason === 'uncertain_calls') return keyLines(lost);
  if (reason !== 'price_drift' && reason !== 'no_price') return [];
  return prices
    .filter(({ price }) => (price === 'none') === (reason === 'no_price'))
    .slice(0, DETAILS_MAX)
    .map(
      ({ model, price, since, isOlder, amount }) =>
        `${model ?? 'A model'}, ${PRICE_ORIGINS[price]}, ${isOlder ? `on ${since} and maybe before` : `since ${since}`}: ${formatUsd(amount)}`,
    );
}
