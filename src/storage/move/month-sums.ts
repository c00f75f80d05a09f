import { DAY_MS } from '../../domain/time/units.ts';
import { floor } from '../range-segments.ts';

/** Calls of one UTC month. */
export interface MonthSums {
  /** `2026-11`. */
  readonly month: string;
  readonly calls: bigint;
  /** nano-USD of calls with a known cost. */
  readonly cost: bigint;
  readonly tokens: bigint;
}

/** Adds up calls by month as they are read: one question for all of a large ledger would take too long for a server. */
export class MonthTally {
  readonly #days = new Map<number, { calls: bigint; cost: bigint; tokens: bigint }>();

  /** @param cost nano-USD; null = unknown */
  add(startedAt: number, cost: bigint | null, tokens: bigint): void {
    const day = floor(startedAt, DAY_MS);
    let sums = this.#days.get(day);
    if (!sums) this.#days.set(day, (sums = { calls: 0n, cost: 0n, tokens: 0n }));
    sums.calls += 1n;
    sums.cost += cost ?? 0n;
    sums.tokens += tokens;
  }

  /** Returns the sums so far, in the order of time. */
  months(): MonthSums[] {
    const months = new Map<string, MonthSums>();
    for (const [day, sums] of [...this.#days].toSorted(([one], [other]) => one - other)) {
      const month = new Date(day).toISOString().slice(0, '2026-11'.length);
      const before = months.get(month) ?? { month, calls: 0n, cost: 0n, tokens: 0n };
      months.set(month, {
        month,
        calls: before.calls + sums.calls,
        cost: before.cost + sums.cost,
        tokens: before.tokens + sums.tokens,
      });
    }
    return [...months.values()];
  }
}

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
