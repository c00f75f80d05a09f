import type { ReactNode } from 'react';
import { formatDay } from '../../shared/format/time.ts';
import { Money } from '../../shared/theme/money.tsx';
import { type Column, DataTable } from '../../shared/ui/data-table.tsx';
import type { Organization, ReasonNames } from './use-reconciliation.ts';
import { wrappedText } from './wrapped-text.ts';
import { isolated } from '../../shared/format/isolated.ts';

type Line = Organization['lines'][number];

interface Props {
  readonly lines: readonly Line[];
  readonly reasonNames: ReasonNames;
}

/** Where book and bill differ most. */
export function LineTable({ lines, reasonNames }: Props): ReactNode {
  return (
    <DataTable
      name="Lines of the bill"
      columns={[dayColumn(reasonNames), ...COLUMNS, whyColumn(reasonNames)]}
      rows={lines}
      rowKey={({ day, key, model }) => `${day} ${key?.id ?? ''} ${model ?? ''}`}
    />
  );
}

/** On a phone it says all that a line is of, and why book and bill differ. */
function dayColumn(names: ReasonNames): Column<Line> {
  return {
    id: 'day',
    name: 'Day',
    sortBy: ({ day }) => day,
    cell: (line) => (
      <>
        {formatDay(line.day, 'UTC')}
        <div className="soft beneath narrow">
          {isolated(line.model ?? 'no model')}; {line.key === null ? 'no key' : <KeyName of={line.key} />}
        </div>
        <div className="soft beneath narrow">
          <Why line={line} names={names} />
        </div>
      </>
    ),
  };
}

const COLUMNS: readonly Column<Line>[] = [
  {
    id: 'key',
    name: 'Key',
    wideOnly: true,
    cell: ({ key }) => (key === null ? <span className="soft">none</span> : <KeyName of={key} />),
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
];

function whyColumn(names: ReasonNames): Column<Line> {
  return { id: 'why', name: 'Why', wideOnly: true, cell: (line) => <Why line={line} names={names} /> };
}

function KeyName({ of: key }: { readonly of: NonNullable<Line['key']> }): ReactNode {
  return (
    <>
      {isolated(key.name ?? key.id)}
      <div className="soft">{wrappedText(key)}</div>
    </>
  );
}

function money(id: string, name: string, amount: (line: Line) => number | null): Column<Line> {
  return { id, name, figures: true, sortBy: amount, cell: (line) => <Money usd={amount(line)} /> };
}

function Why({ line: { reasons, missing }, names }: { line: Line; names: ReasonNames }): ReactNode {
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
