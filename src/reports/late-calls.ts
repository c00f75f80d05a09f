import type { KeyGroups } from '../core/key-groups.ts';
import { type DaySides, lessUse, standsWhereEnded } from '../core/midnight.ts';
import type { ReportCell } from '../storage/provider-reports.ts';
import type { KeyUse } from '../storage/store.ts';

const DAY_MS = 86_400_000;

/** Report and gate of the days around a midnight. */
export interface NightParts<Of extends KeyUse = KeyUse> {
  /** Days from here on were read, and days before `closedBefore` change no more. */
  readonly readFrom: number;
  readonly closedBefore: number;
  /** What calls used that were under way when this day ended. */
  late(day: number): readonly Of[];
  cells(day: number): Promise<readonly ReportCell[]>;
  /** Of all workspaces, by the day on which calls began. */
  uses(day: number): Promise<readonly KeyUse[]>;
  groupsOn(day: number, reported: readonly ReportCell[], passed: readonly KeyUse[]): KeyGroups;
  nameOf(model: string): string;
}

/** What of the calls that were under way when a day ended stands on the day after in the provider's report. */
export async function carriedOver<Of extends KeyUse>(day: number, parts: NightParts<Of>): Promise<readonly Of[]> {
  const { readFrom, closedBefore, late } = parts;
  const next = day + DAY_MS;
  if (late(day).length === 0 || day < readFrom || day >= closedBefore) return [];
  const cells = [await parts.cells(day), await parts.cells(next)] as const;
  const uses = [await parts.uses(day), await parts.uses(next)] as const;
  const groups = parts.groupsOn(day, cells.flat(), [...uses.flat(), ...late(day - DAY_MS)]);
  const nameOf = (group: string | undefined, model: string | null): string =>
    JSON.stringify([group ?? null, model === null ? null : parts.nameOf(model)]);
  const byCell = <One extends KeyUse>(all: readonly One[]): Map<string, One[]> =>
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
  return [...byCell(late(day))].flatMap(([cell, own]) =>
    standsWhereEnded(before.get(cell) ?? [], first(cell), next < closedBefore ? second(cell) : null) ? own : [],
  );
}

/** What passed on a day, each call where its provider has it. `came` and `went`: over the midnights at its ends. */
export function asProviderHas<Of extends KeyUse>(
  day: number,
  began: readonly Of[],
  came: readonly Of[],
  went: readonly Of[],
): readonly Of[] {
  if (came.length === 0 && went.length === 0) return began;
  return [...began, ...came.map((use) => ({ ...use, day })), ...went.map((use) => lessUse(use))];
}

/** Days of which what passed may be another when this one changes, where calls were under way between them. */
export function daysHangingOn(day: number, isLate: (day: number) => boolean): number[] {
  const near = [day - DAY_MS, day + DAY_MS, day + 2 * DAY_MS];
  return near.filter((one) => isLate(one) || isLate(one - DAY_MS));
}

/** Days that are kept: those that one midnight needs. */
const REMEMBERED = 4;

/** Reads a day once while the days beside it are looked at. */
export function rememberingDays<Of>(read: (day: number) => Promise<Of>): (day: number) => Promise<Of> {
  const known = new Map<number, Promise<Of>>();
  return (day) => {
    let found = known.get(day);
    if (!found) known.set(day, (found = read(day)));
    const [oldest] = known.size > REMEMBERED ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return found;
  };
}
