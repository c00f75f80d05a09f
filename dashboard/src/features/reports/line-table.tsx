import type { ReactNode } from 'react';
import { isolated } from '../../shared/format/isolated.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { Money } from '../../shared/ui/values.tsx';
import type { ReasonNames, ReconciledOrganization } from './queries.ts';
import { wrappedText } from './reconciliation-text.ts';
import { formatDate } from '../../../../src/domain/text/dates.ts';

type BillLine = ReconciledOrganization['lines'][number];

interface LineTableProps {
  readonly lines: readonly BillLine[];
  readonly reasonNames: ReasonNames;
}

/** Lines with the largest differences. */
export function LineTable({ lines, reasonNames }: LineTableProps): ReactNode {
  return (
    <DataTable
      name="Lines of the bill"
      columns={[dayColumn(reasonNames), ...lineColumns, reasonsColumn(reasonNames)]}
      rows={lines}
      rowKey={({ day, key, model }) => `${day} ${key?.id ?? ''} ${model ?? ''}`}
    />
  );
}

/** On narrow screens, this column also shows key, model and reasons. */
function dayColumn(names: ReasonNames): TableColumn<BillLine> {
  return {
    id: 'day',
    name: 'Day',
    sortBy: ({ day }) => day,
    cell: (line) => (
      <>
        {formatDate(line.day, 'UTC')}
        <div className="soft beneath narrow">
          {isolated(line.model ?? 'No model')}; {line.key === null ? 'no key' : <LineKey of={line.key} />}
        </div>
        <div className="soft beneath narrow">
          <LineReasons line={line} names={names} />
        </div>
      </>
    ),
  };
}

const lineColumns: readonly TableColumn<BillLine>[] = [
  {
    id: 'key',
    name: 'Key',
    wideOnly: true,
    cell: ({ key }) => (key === null ? <span className="soft">None</span> : <LineKey of={key} />),
  },
  { id: 'model', name: 'Model', wideOnly: true, sortBy: ({ model }) => model, cell: ({ model }) => model ?? '' },
  { ...moneyColumn('ledger', 'Ledger', ({ ledgerCost }) => ledgerCost), wideOnly: true },
  {
    ...moneyColumn('bill', 'Bill', ({ providerCost }) => providerCost),
    cell: ({ providerCost, ledgerCost }) => (
      <>
        <Money usd={providerCost} />
        <span className="soft beneath narrow">
          {' '}
          Ledger <Money usd={ledgerCost} />
        </span>
      </>
    ),
  },
  moneyColumn('difference', 'Difference', ({ difference }) => difference),
];

function reasonsColumn(names: ReasonNames): TableColumn<BillLine> {
  return { id: 'why', name: 'Reason', wideOnly: true, cell: (line) => <LineReasons line={line} names={names} /> };
}

function LineKey({ of: key }: { readonly of: NonNullable<BillLine['key']> }): ReactNode {
  return (
    <>
      {isolated(key.name ?? key.id)}
      <div className="soft">{wrappedText(key)}</div>
    </>
  );
}

function moneyColumn(id: string, name: string, amount: (line: BillLine) => number | null): TableColumn<BillLine> {
  return { id, name, figures: true, sortBy: amount, cell: (line) => <Money usd={amount(line)} /> };
}

function LineReasons({ line: { reasons, missing }, names }: { line: BillLine; names: ReasonNames }): ReactNode {
  return (
    <>
      {reasons.map(({ reason, amount }) => (
        <div key={reason}>
          {names[reason]} <Money usd={amount} />
        </div>
      ))}
      {missing}
    </>
  );
}
