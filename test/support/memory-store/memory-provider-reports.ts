import type {
  ReportDay,
  ReportedUsage,
  ReportName,
  ReportRows,
} from '../../../src/domain/reconciliation/provider-report.ts';
import type { ReportedPart } from '../../../src/domain/reconciliation/residual.ts';
import {
  digestReportDay,
  type ProviderReportStore,
  type ReportCell,
  type ReportState,
  sortRows,
  type StoredDay,
} from '../../../src/storage/provider-reports.ts';
import type { MemoryReportRest } from './memory-unproxied-usage.ts';
import type { Period } from '../../../src/domain/time/period.ts';

/** What was read with one admin key. */
class Kept {
  readonly states = new Map<string, ReportState>();
  /** By report and day. */
  readonly days = new Map<string, ReportDay>();
  readonly names = new Map<string, ReportName>();

  /** False = the day was so before. */
  keepDay(report: string, day: ReportDay, goesOn: boolean): boolean {
    const place = `${report} ${day.day}`;
    const known = this.days.get(place);
    const before = goesOn ? (known?.rows ?? []) : [];
    const kept = { ...day, rows: [...before, ...sortRows<unknown>(day.rows)] } as ReportDay;
    this.days.set(place, kept);
    return known === undefined || digestReportDay(known) !== digestReportDay(kept);
  }

  cells({ start, end }: Period): ReportCell[] {
    const found = [...this.days.values()].filter(({ day }) => day >= start && day < end);
    return found.flatMap((day) => (day.kind === 'usage' ? cellsOf(day) : []));
  }

  read<Row>(kind: ReportRows['kind'], { start, end }: Period): StoredDay<Row>[] {
    const found = [...this.days.values()].filter((day) => day.kind === kind && day.day >= start && day.day < end);
    const byDay = Map.groupBy(found, ({ day }) => day);
    return [...byDay]
      .map(([day, parts]) => ({ day, rows: parts.flatMap(({ rows }) => rows as readonly unknown[] as Row[]) }))
      .filter(({ rows }) => rows.length > 0)
      .toSorted((a, b) => a.day - b.day);
  }
}

export function memoryProviderReports(rest: MemoryReportRest): ProviderReportStore {
  const kept = new Map<string, Kept>();
  const of = (id: string): Kept => kept.get(id) ?? new Kept();
  return {
    states: async (id) => of(id).states,
    async keep({ connectionId, report, days, goesOn, names, state }) {
      const one = of(connectionId);
      if ((one.states.get(report)?.revision ?? 0) !== state.revision) return false;
      for (const day of days) {
        const isChanged = one.keepDay(report, day, goesOn);
        if (isChanged && day.kind === 'usage') rest.mark(connectionId, day.day);
      }
      for (const name of names) one.names.set(`${name.kind} ${name.id}`, name);
      one.states.set(report, { ...state, revision: state.revision + 1 });
      kept.set(connectionId, one);
      return true;
    },
    usage: async (id, range) => of(id).read('usage', range),
    cells: async (id, range) => of(id).cells(range),
    costs: async (id, range) => of(id).read('cost', range),
    people: async (id, range) => of(id).read('people', range),
    names: async (id) => [...of(id).names].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, name]) => name),
    async drop(id) {
      const { days, names, states } = of(id);
      kept.delete(id);
      rest.drop(id);
      return [...days.values()].reduce((sum, { rows }) => sum + rows.length + 1, names.size + states.size);
    },
  };
}

function cellsOf({ day, rows }: { readonly day: number; readonly rows: readonly ReportedUsage[] }): ReportCell[] {
  const groups = Map.groupBy(rows, ({ key, model }) => JSON.stringify([key, model]));
  return [...groups.values()].flatMap((group) => {
    const [one] = group;
    return one ? [{ day, key: one.key, model: one.model, rows: group.map(partOf) }] : [];
  });
}

function partOf({ tier, context, geo, speed, amounts, requests }: ReportedUsage): ReportedPart {
  return { tier, context, geo, speed, amounts, requests };
}
