import type { KeyGroups } from '../domain/reconciliation/key-groups.ts';
import {
  type DaySides,
  isProven,
  lessUse,
  type DayBoundary,
  belongsToEndDay,
  scoreBoundary,
} from '../domain/reconciliation/day-boundary.ts';
import type { ReportCell } from '../storage/provider-reports.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { KeyUse } from '../storage/usage-queries.ts';

/** Reported and proxied usage of the days around a midnight. */
export interface BoundaryParts<Of extends KeyUse = KeyUse> {
  /** Days from `readFrom` on have been read, and days before `closedBefore` are final. */
  readonly readFrom: number;
  readonly closedBefore: number;
  /** Returns the usage of calls that ran over the end of this day. */
  late(day: number): readonly Of[];
  cells(day: number): Promise<readonly ReportCell[]>;
  /** Returns the usage of all workspaces, by the day on which the calls began. */
  uses(day: number): Promise<readonly KeyUse[]>;
  groupsOn(day: number, reported: readonly ReportCell[], passed: readonly KeyUse[]): KeyGroups;
  nameOf(model: string): string;
}

/** Consecutive midnights in each direction that decide for one that fits both assumptions. */
export const BOUNDARIES_MAX = 7;
const REMEMBERED_BOUNDARIES = 2 * BOUNDARIES_MAX + 2;

/** Returns a function that finds the usage of calls running over the end of a day that the provider counts on the next day. */
export function findCarriedOver<Of extends KeyUse>(parts: BoundaryParts<Of>): (day: number) => Promise<readonly Of[]> {
  const nightOf = memoizeDays((day) => scoreCells(day, parts), REMEMBERED_BOUNDARIES);
  const nameOf = ({ keyId, model }: KeyUse): string => cellKey(keyId, model, parts);
  const inRow = async (use: KeyUse, day: number): Promise<readonly DayBoundary[]> => {
    const found: DayBoundary[] = [];
    for (const step of [-DAY_MS, DAY_MS])
      for (let count = 1; count <= BOUNDARIES_MAX; count += 1) {
        const night = (await nightOf(day + count * step)).get(nameOf(use));
        if (!night) break;
        found.push(night);
      }
    return found;
  };
  return async (day) => {
    const nights = await nightOf(day);
    const belongs = new Map<DayBoundary | undefined, boolean>();
    const carried: Of[] = [];
    for (const use of parts.late(day)) {
      const night = nights.get(nameOf(use));
      if (!night) continue;
      if (!belongs.has(night))
        belongs.set(night, belongsToEndDay([night, ...(isProven(night) ? [] : await inRow(use, day))]));
      if (belongs.get(night)) carried.push(use);
    }
    return carried;
  };
}

/** Scores the midnight after a day, by wrapped key and model. Keys that may be the same key share one score. */
async function scoreCells(day: number, parts: BoundaryParts): Promise<ReadonlyMap<string, DayBoundary>> {
  const { readFrom, closedBefore, late } = parts;
  const next = day + DAY_MS;
  if (late(day).length === 0 || day < readFrom || day >= closedBefore) return new Map();
  const cells = [await parts.cells(day), await parts.cells(next)] as const;
  const uses = [await parts.uses(day), await parts.uses(next)] as const;
  const groups = parts.groupsOn(day, cells.flat(), [...uses.flat(), ...late(day - DAY_MS)]);
  const nameOf = (group: string | undefined, model: string | null): string => cellKey(group ?? null, model, parts);
  const byCell = (all: readonly KeyUse[]): Map<string, KeyUse[]> =>
    Map.groupBy(all, ({ keyId, model }) => nameOf(groups.ofWrapped.get(keyId), model));
  const sidesOf = (at: 0 | 1): ((cell: string) => DaySides) => {
    const reported = Map.groupBy(cells[at], ({ key, model }) => nameOf(groups.ofReported.get(key ?? ''), model));
    const [passed, ended] = [byCell(uses[at]), byCell(late(at === 0 ? day : next))];
    return (cell) => ({
      reported: (reported.get(cell) ?? []).flatMap(({ rows }) => rows.map(({ amounts }) => amounts)),
      passed: passed.get(cell) ?? [],
      late: ended.get(cell) ?? [],
    });
  };
  const [first, second, before] = [sidesOf(0), sidesOf(1), byCell(late(day - DAY_MS))];
  const nights = new Map<string, DayBoundary>();
  for (const [cell, own] of byCell(late(day))) {
    const night = scoreBoundary(before.get(cell) ?? [], first(cell), next < closedBefore ? second(cell) : null);
    for (const { keyId, model } of own) nights.set(cellKey(keyId, model, parts), night);
  }
  return nights;
}

function cellKey(key: string | null, model: string | null, { nameOf }: Pick<BoundaryParts, 'nameOf'>): string {
  return JSON.stringify([key, model === null ? null : nameOf(model)]);
}

/** Moves calls to the day on which the provider counts them. `came` and `went` crossed the midnights at both ends. */
export function moveCarriedOver<Of extends KeyUse>(
  day: number,
  began: readonly Of[],
  came: readonly Of[],
  went: readonly Of[],
): readonly Of[] {
  if (came.length === 0 && went.length === 0) return began;
  return [...began, ...came.map((use) => ({ ...use, day })), ...went.map((use) => lessUse(use))];
}

/**
 * Lists the days whose usage may change when this day changes, because calls ran between them: the days next to the
 * midnights that depend on it, and next to midnights in a row with these.
 */
export function listDependentDays(day: number, isLate: (day: number) => boolean): number[] {
  const nights = new Set<number>();
  for (const near of [day - DAY_MS, day, day + DAY_MS])
    for (const step of [-DAY_MS, DAY_MS])
      for (let count = 0; count <= BOUNDARIES_MAX && isLate(near + count * step); count += 1)
        nights.add(near + count * step);
  const days = new Set([...nights].flatMap((night) => [night, night + DAY_MS]));
  days.delete(day);
  return [...days];
}

/** Days kept in memory, enough for one midnight. */
const REMEMBERED = 4;

/** Remembers the last days that were read, so that each is read once. */
export function memoizeDays<Of>(read: (day: number) => Promise<Of>, most = REMEMBERED): (day: number) => Promise<Of> {
  const known = new Map<number, Promise<Of>>();
  return (day) => {
    let found = known.get(day);
    if (!found) known.set(day, (found = read(day)));
    const [oldest] = known.size > most ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return found;
  };
}
