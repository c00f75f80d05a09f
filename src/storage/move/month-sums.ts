/** Calls of one UTC month. */
export interface MonthSums {
  /** `2026-11`. */
  readonly month: string;
  readonly calls: bigint;
  /** nano-USD of calls with a known cost. */
  readonly cost: bigint;
  readonly tokens: bigint;
}

/** SQL for PostgreSQL: the sums of all calls by month, as lists. */
export const POSTGRES_MONTHS = `SELECT to_char(to_timestamp(started_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM') AS month,
  count(*), coalesce(sum(cost), 0), sum(input_tokens + output_tokens) FROM entries GROUP BY 1 ORDER BY 1`;

/** Reads sums from rows that are lists, with integers as `bigint`. */
export function toMonthSums(rows: readonly unknown[]): MonthSums[] {
  return (rows as readonly (readonly [string, bigint, bigint, bigint])[]).map(([month, calls, cost, tokens]) => ({
    month,
    calls,
    cost,
    tokens,
  }));
}

/** Returns the first month whose sums differ; null = all are equal. */
export function findDifferentMonth(here: readonly MonthSums[], there: readonly MonthSums[]): string | null {
  const rows = [here, there].map((months) =>
    months.map(({ month, calls, cost, tokens }) => [month, calls, cost, tokens].join(' ')),
  );
  const [ours = [], others = []] = rows;
  const different = Math.max(ours.length, others.length);
  for (let index = 0; index < different; index += 1)
    if (ours[index] !== others[index]) return (here[index] ?? there[index])?.month ?? null;
  return null;
}
