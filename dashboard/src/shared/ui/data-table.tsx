import { Button } from '@mantine/core';
import { type MouseEvent, type ReactNode, useState } from 'react';
import styles from './data-table.module.css';

interface DataTableProps<Row> {
  /** Accessible name: "Calls". */
  readonly name: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly sort?: TableSort;
  /** Rows at the end in any sort order: all others, and the total. */
  readonly foot?: readonly Row[];
  /** Opens a row that is clicked. The row needs a link too, for the keyboard. */
  readonly onOpen?: (row: Row) => void;
  /** Key of the open row. */
  readonly openKey?: string | undefined;
  /** Amount of a row, drawn as a bar behind its name; the largest fills the cell. null = no bar. */
  readonly bar?: (row: Row) => number | null;
  /** Cells never wrap, and long ones are cut. */
  readonly oneLine?: boolean;
}

/** A table that is sorted by clicking a column header. */
export function DataTable<Row>(props: DataTableProps<Row>): ReactNode {
  const { name, columns, rows, rowKey, sort: first, foot, bar, onOpen, openKey, oneLine } = props;
  const [sort, setSort] = useState<TableSort | null>(first ?? null);
  const sortBy = columns.find(({ id }) => id === sort?.column)?.sortBy;
  const shown = sort && sortBy ? sortRows(rows, sortBy, sort.descending) : rows;
  const barOf = bar && barSizes(rows, bar);
  return (
    <div className={styles.frame} tabIndex={0} role="group" aria-label={name}>
      <table className={styles.table} data-one-line={oneLine}>
        <thead>
          <tr>
            {columns.map((column) => (
              <ColumnHead key={column.id} column={column} sort={sort} onSort={(id) => setSort(nextSort(sort, id))} />
            ))}
          </tr>
        </thead>
        <tbody>
          <TableRows {...{ rows: shown, rowKey, columns, barOf, onOpen, openKey }} />
        </tbody>
        {foot && (
          <tfoot>
            <TableRows rows={foot} rowKey={rowKey} columns={columns} />
          </tfoot>
        )}
      </table>
    </div>
  );
}

/** Returns a function that gives the size of a row's bar; the largest ends a little before the next column. */
function barSizes<Row>(rows: readonly Row[], bar: (row: Row) => number | null): (row: Row) => string {
  const largest = rows.reduce((most, row) => Math.max(most, bar(row) ?? 0), 0);
  return (row) => {
    const part = largest === 0 ? 0 : Math.max(0, bar(row) ?? 0) / largest;
    return `calc(${part} * (100% - 0.75rem)) calc(100% - 0.5rem)`;
  };
}

interface TableRowsProps<Row> extends Pick<DataTableProps<Row>, 'rows' | 'rowKey' | 'columns' | 'openKey'> {
  readonly barOf?: ((row: Row) => string) | undefined;
  readonly onOpen?: ((row: Row) => void) | undefined;
}

function TableRows<Row>({ rows, rowKey, columns, barOf, onOpen, openKey }: TableRowsProps<Row>): ReactNode {
  return rows.map((row) => (
    <tr
      key={rowKey(row)}
      data-opens={onOpen && true}
      data-open={openKey === rowKey(row) || undefined}
      onClick={onOpen && ((event) => isOwnClick(event) && onOpen(row))}
    >
      {columns.map((column, index) => (
        <td
          key={column.id}
          data-figures={column.figures}
          data-wide-only={column.wideOnly}
          data-bar={barOf && index === 0}
          style={barOf && index === 0 ? { backgroundSize: barOf(row) } : undefined}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  ));
}

/** False for a click on a link or button of the row, and for the end of a selection of text. */
function isOwnClick({ target }: MouseEvent): boolean {
  if (target instanceof Element && target.closest('a, button, input, label') !== null) return false;
  return document.getSelection()?.isCollapsed ?? true;
}

interface TableSort {
  readonly column: string;
  readonly descending: boolean;
}

/** Returns the next sort: the same column reverses, another one starts descending. */
export function nextSort(sort: TableSort | null, column: string): TableSort {
  return { column, descending: sort?.column === column ? !sort.descending : true };
}

/** Sorts rows; null is always last, and equal rows keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  sortBy: (row: Row) => string | number | null,
  descending: boolean,
): readonly Row[] {
  const turn = descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [sortBy(a), sortBy(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return turn * compareValues(x, y);
  });
}

function compareValues(x: string | number, y: string | number): number {
  if (typeof x === 'number' && typeof y === 'number') return x - y;
  return String(x).localeCompare(String(y), 'en', { numeric: true });
}

export interface TableColumn<Row> {
  readonly id: string;
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Sort key; absent = not sortable. null is always last. */
  readonly sortBy?: (row: Row) => string | number | null;
  /** Right-aligns figures. */
  readonly figures?: boolean;
  /** Hidden on narrow screens. */
  readonly wideOnly?: boolean;
}

interface ColumnHeadProps<Row> {
  readonly column: TableColumn<Row>;
  readonly sort: TableSort | null;
  readonly onSort: (column: string) => void;
}

function ColumnHead<Row>({ column, sort, onSort }: ColumnHeadProps<Row>): ReactNode {
  const { id, name, sortBy, figures, wideOnly } = column;
  const sorted = sort?.column === id ? sort : null;
  return (
    <th
      scope="col"
      data-figures={figures}
      data-wide-only={wideOnly}
      aria-sort={sorted ? (sorted.descending ? 'descending' : 'ascending') : undefined}
    >
      {sortBy ? (
        <button type="button" className={styles.sort} onClick={() => onSort(id)}>
          {name}
          <span aria-hidden className={styles.arrow}>
            {sorted ? (sorted.descending ? '↓' : '↑') : ''}
          </span>
        </button>
      ) : (
        // A column of buttons needs a name for screen readers only.
        name || <span className="visually-hidden">Actions</span>
      )}
    </th>
  );
}

interface RowButtonProps {
  /** Label of the button. */
  readonly actionLabel: string;
  /** Name of the row, for screen readers. */
  readonly of: string;
  readonly onClick: () => void;
}

/** A button in a table row. */
export function RowButton({ actionLabel, of, onClick }: RowButtonProps): ReactNode {
  return (
    <Button size="xs" variant="default" onClick={onClick} aria-label={`${actionLabel} ${of}`}>
      {actionLabel}
    </Button>
  );
}
