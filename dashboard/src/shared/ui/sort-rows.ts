export interface TableSort {
  readonly column: string;
  readonly descending: boolean;
}

/** A column that is chosen again turns round; another one begins with its largest. */
export function nextSort(sort: TableSort | null, column: string): TableSort {
  return { column, descending: sort?.column === column ? !sort.descending : true };
}

/** What is not known (null) stands last, whichever way it is sorted; equal rows keep their order. */
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
