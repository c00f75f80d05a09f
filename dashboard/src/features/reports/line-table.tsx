import type { ReactNode } from 'react';
import { formatDay } from '../../shared/format/time.ts';
import { Money } from '../../shared/look/money.tsx';
import { type Column, DataTable } from '../../shared/parts/data-table.tsx';
import type { Organization } from './use-reconciliation.ts';
import { REASON_WORDS } from './reason-words.ts';
import { isolated } from '../../shared/format/isolated.ts';

type Line = Organization['lines'][number];

/** Where book and bill differ most. */
export function LineTable({ lines }: { readonly lines: readonly Line[] }): ReactNode {
  return (
    <DataTable
      name="Lines of the bill"
      columns={columns}
      rows={lines}
      rowKey={({ day, key, model }) => `${day} ${key?.id ?? ''} ${model ?? ''}`}
    />
  );
}

const columns: readonly Column<Line>[] = [
  {
    id: 'day',
    name: 'Day',
    sortBy: ({ day }) => day,
    cell: ({ day, key, model }) => (
      <>
        {formatDay(day, 'UTC')}
        <span className="soft beneath narrow">
          {isolated(model ?? 'no model')}; {key === null ? 'no key' : isolated(key.name ?? key.id)}
        </span>
      </>
    ),
  },
  {
    id: 'key',
    name: 'Key',
    wideOnly: true,
    cell: ({ key }) => (key === null ? <span className="soft">none</span> : (key.name ?? key.id)),
  },
  { id: 'model', name: 'Model', wideOnly: true, sortBy: ({ model }) => model, cell: ({ model }) => model ?? '' },
  { ...money('book', 'Book', ({ bookCost }) => bookCost), wideOnly: true },
  {
    ...money('bill', 'Bill', ({ providerCost }) => providerCost),
    cell: ({ providerCost, bookCost }) => (
      <>
        <Money usd={providerCost} />
        <span className="soft beneath narrow">
          book <Money usd={bookCost} />
        </span>
      </>
    ),
  },
  money('difference', 'Difference', ({ difference }) => difference),
  { id: 'why', name: 'Why', wideOnly: true, cell: (line) => <Why line={line} /> },
];

function money(id: string, name: string, amount: (line: Line) => number | null): Column<Line> {
  return { id, name, figures: true, sortBy: amount, cell: (line) => <Money usd={amount(line)} /> };
}

function Why({ line: { reasons, missing } }: { readonly line: Line }): ReactNode {
  return (
    <>
      {reasons.map(({ reason, amount }) => (
        <div key={reason}>
          {REASON_WORDS[reason].name} <Money usd={amount} />
        </div>
      ))}
      {missing}
    </>
  );
}
