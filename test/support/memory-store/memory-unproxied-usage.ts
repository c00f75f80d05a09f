import { isEmptySum, sumTotals } from '../../../src/domain/usage/usage-totals.ts';
import { addCoverage, NO_COVERAGE } from '../../../src/domain/reconciliation/coverage.ts';
import { floor } from '../../../src/storage/range-segments.ts';
import type {
  CoveredDay,
  UnproxiedUsageStore,
  UnproxiedSum,
  ComputedDay,
  MarkedDay,
} from '../../../src/storage/unproxied-usage.ts';
import { isIn } from './memory-ledger.ts';
import { DAY_MS } from '../../../src/domain/time/units.ts';
import type { Period } from '../../../src/domain/time/period.ts';

/** Settled days and marks, in lists. */
export class MemoryReportRest {
  settled: ComputedDay[] = [];
  marks: (MarkedDay & { readonly connectionId: string })[] = [];
  #serial = 0;

  mark(connectionId: string, day: number): void {
    this.marks = this.marks.filter((one) => one.connectionId !== connectionId || one.day !== day);
    this.marks.push({ connectionId, day, serial: (this.#serial += 1) });
  }

  /** A call that began then was booked, or resolved. */
  moved(startedAt: number): void {
    for (const { connectionId, day, isClosed } of this.settled)
      if (isClosed && day === floor(startedAt, DAY_MS)) this.mark(connectionId, day);
  }

  drop(connectionId: string): void {
    this.settled = this.settled.filter((one) => one.connectionId !== connectionId);
    this.marks = this.marks.filter((one) => one.connectionId !== connectionId);
  }

  of(workspaceId: string, range: Period): ComputedDay[] {
    return this.settled.filter((one) => one.workspaceId === workspaceId && isIn(range, one.day));
  }
}

export function memoryReportRest(rest: MemoryReportRest): UnproxiedUsageStore {
  return {
    async markedDays(connectionId, limit) {
      const own = rest.marks.filter((one) => one.connectionId === connectionId).toSorted((a, b) => b.day - a.day);
      return own.slice(0, limit).map(({ day, serial }) => ({ day, serial }));
    },
    async closing(day) {
      const known = rest.settled.find((one) => one.connectionId === day.connectionId && one.day === day.day);
      const others = rest.settled.filter((one) => one !== known);
      rest.settled = [...others, { rows: [], terms: '', serial: 0, ...day, ...known, isClosed: true }];
    },
    async replaceDay(settled) {
      const isOther = (one: ComputedDay): boolean =>
        one.connectionId !== settled.connectionId || one.day !== settled.day;
      rest.settled = [...rest.settled.filter(isOther), settled];
      rest.marks = rest.marks.filter(({ serial }) => serial !== settled.serial);
    },
    async markDays(connectionId, range, which) {
      for (const one of rest.settled) {
        if (one.connectionId !== connectionId || !isIn(range, one.day)) continue;
        if (which === 'unpriced' && !one.rows.some(({ totals }) => totals.unpricedCalls + totals.unpricedUses > 0))
          continue;
        if (typeof which === 'object' && one.terms === which.termsOtherThan) continue;
        rest.mark(connectionId, one.day);
      }
    },
    async openDays(connectionId) {
      const computed = rest.settled.filter((one) => !one.isClosed);
      const own = [...rest.marks, ...computed].filter((one) => one.connectionId === connectionId);
      return [...new Set(own.map(({ day }) => day))];
    },
    dailySums: async (workspaceId, range) => summed(rest.of(workspaceId, range), ({ day }) => day),
    sums: async (workspaceId, range) => summed(rest.of(workspaceId, range), () => 0),
    coverage: async (workspaceId, range) => coverage(rest.of(workspaceId, range)),
  };
}

function summed(days: readonly ComputedDay[], apart: (day: ComputedDay) => number): UnproxiedSum[] {
  const parts = days.flatMap((day) => day.rows.map(({ model, totals }) => ({ day, model, totals })));
  const groups = Map.groupBy(parts, ({ day, model }) => JSON.stringify([apart(day), day.provider, model]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const totals = sumTotals(group);
    if (isEmptySum(totals)) return [];
    const day = Math.min(...group.map((part) => part.day.day));
    return [{ day, provider: first.day.provider, model: first.model, totals }];
  });
}

function coverage(days: readonly ComputedDay[]): CoveredDay[] {
  const found = days.map(({ day, connectionId, rows }) => ({
    day,
    connectionId,
    coverage: rows.map((row) => row.coverage).reduce(addCoverage, NO_COVERAGE),
  }));
  return found.filter((day) => day.coverage.total > 0n).toSorted((a, b) => a.day - b.day);
}
