import { type ReactNode, useState } from 'react';
import styles from './data-table.module.css';
import { nextSort, type TableSort, sortRows } from './sort-rows.ts';

export interface TableColumn<Row> {
  readonly id: string;
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** What the column is sorted by; absent = it can't be sorted. null stands last either way. */
  readonly sortBy?: (row: Row) => string | number | null;
  /** Figures stand at the right, under each other. */
  readonly figures?: boolean;
  /** Left out where the page is narrow. */
  readonly wideOnly?: boolean;
}

interface DataTableProps<Row> {
  /** What the rows are, for who doesn't see the table: "Calls". */
  readonly name: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly sort?: TableSort;
}

/** A table whose rows can be sorted by the heads of its columns. Links and buttons live in its cells. */
export function DataTable<Row>({ name, columns, rows, rowKey, sort: first }: DataTableProps<Row>): ReactNode {
  const [sort, setSort] = useState<TableSort | null>(first ?? null);
  const sortBy = columns.find(({ id }) => id === sort?.column)?.sortBy;
  const shown = sort && sortBy ? sortRows(rows, sortBy, sort.descending) : rows;
  return (
    <div className={styles.frame} tabIndex={0} role="group" aria-label={name}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <ColumnHead key={column.id} column={column} sort={sort} onSort={(id) => setSort(nextSort(sort, id))} />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.id} data-figures={column.figures} data-wide-only={column.wideOnly}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
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
        // Buttons need no name above them, but who doesn't see them does.
        name || <span className="visually-hidden">What can be done</span>
      )}
    </th>
  );
}
