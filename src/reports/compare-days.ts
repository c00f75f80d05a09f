import { setImmediate as nextTurn } from 'node:timers/promises';
import { type HeldProviderKey, heldOn, holders } from '../core/held-keys.ts';
import { type KeyMatch, matchProviderKeys } from '../core/match-provider-keys.ts';
import type { RateCard } from '../core/price.ts';
import { isOwnVersion } from '../core/pricing.ts';
import type { ReportedCost, ReportName } from '../core/provider-report.ts';
import { type ReconciledDay, reconcileDay } from '../core/reconcile.ts';
import type { HeldUse } from '../core/reconcile/day-cells.ts';
import type { AdminKey } from '../storage/records/admin-key-records.ts';
import type { KeptDay, ReportCell } from '../storage/provider-reports.ts';
import type { Records } from '../storage/records/records.ts';
import type { Range, Reports } from '../storage/store.ts';

const DAY_MS = 86_400_000;
/** Stands in place of the version of another workspace's own price. */
const PRICE_OF_OTHERS = 'of another workspace';

/** What reports say of the days of a range that were read. */
export interface ReportedDays {
  readonly range: Range;
  /** Days from here on may still change. */
  readonly closedBefore: number;
  readonly cells: readonly ReportCell[];
  readonly costs: readonly KeptDay<ReportedCost>[];
  readonly names: readonly ReportName[];
}

interface Parts {
  readonly records: Pick<Records, 'keys' | 'workspaces'>;
  readonly reports: Pick<Reports, 'keyUses'>;
  /** The list price of a model on a day. */
  resolve(model: string, day: number): RateCard | null;
}

export interface ComparedDays extends Pick<ReportedDays, 'range' | 'names'> {
  /** The wrapped keys that stood for a key of the report all of a UTC day; null = that is not known, or is not so. */
  wrappedOn(key: string, day: number): ReadonlySet<string> | null;
  nameOf(model: string): string;
  /** Day by day; others have their turn in between. */
  days(): AsyncGenerator<ReconciledDay, void, undefined>;
}

/**
 * Compares what reports of an organization say with what passed the gate in all workspaces. Of calls through keys that
 * are not found in the organization, only those of the connection's own workspace are told.
 */
export async function compareDays(
  { provider, workspaceId }: Pick<AdminKey, 'provider' | 'workspaceId'>,
  reported: ReportedDays,
  parts: Parts,
): Promise<ComparedDays> {
  const { range, closedBefore, names } = reported;
  const held = await parts.records.keys.heldKeys(provider);
  const hinted = names.filter(({ kind }) => kind === 'key');
  const matchesOn = matchesBy((day) => heldOn(held, day), hinted);
  const terms = {
    nameOf: namesBy((model) => parts.resolve(model, range.start)?.model ?? model),
    resolve: (model: string, day: number) => parts.resolve(model, day),
  };
  return {
    range,
    names,
    nameOf: terms.nameOf,
    wrappedOn(key, day) {
      const match = matchesOn(day).get(key);
      const own = match?.is === 'one' ? held.filter(({ id }) => match.heldIds.includes(id)) : [];
      const isWhole = own.every(
        ({ heldSince, heldUntil }) => heldSince <= day && (heldUntil ?? Infinity) >= day + DAY_MS,
      );
      return own.length > 0 && isWhole ? new Set(own.flatMap(({ wrappedKeyIds }) => wrappedKeyIds)) : null;
    },
    async *days() {
      const gate = await gateDays(provider, held, range, parts);
      const cells = Map.groupBy(reported.cells, ({ day }) => day);
      const costs = new Map(reported.costs.map(({ day, rows }) => [day, rows]));
      for (let day = range.start; day < range.end; day += DAY_MS) {
        const facts = {
          reported: cells.get(day) ?? [],
          gate: seenBy(workspaceId, gate.get(day) ?? [], matchesOn(day)),
          costs: costs.get(day) ?? [],
        };
        yield reconcileDay({ day, isClosed: day < closedBefore, ...facts }, { ...terms, matches: matchesOn(day) });
        await nextTurn();
      }
    },
  };
}

interface GateUseOf extends HeldUse {
  readonly workspaceId: string;
}

/** By day. Calls of a day of which the key is not known are of no held key. */
async function gateDays(
  provider: string,
  held: readonly HeldProviderKey[],
  range: Range,
  { records, reports }: Parts,
): Promise<Map<number, GateUseOf[]>> {
  const holderOf = holders(held);
  const days = new Map<number, GateUseOf[]>();
  for (const { id } of await records.workspaces.list())
    for (const { day, keyId, ...use } of await reports.keyUses(id, range)) {
      if (use.terms.provider !== provider) continue;
      const of = { ...use, workspaceId: id, heldId: holderOf(keyId, day)?.id ?? '' };
      const uses = days.get(day);
      if (uses) uses.push(of);
      else days.set(day, [of]);
    }
  return days;
}

/** Calls of others count for the organization's keys, and are nobody's business else. */
function seenBy(
  workspaceId: string,
  uses: readonly GateUseOf[],
  matches: ReadonlyMap<string, KeyMatch>,
): readonly HeldUse[] {
  if (uses.every((use) => use.workspaceId === workspaceId)) return uses;
  const found = new Set([...matches.values()].flatMap((match) => (match.is === 'one' ? match.heldIds : [])));
  return uses.flatMap((use) => {
    if (use.workspaceId === workspaceId) return use;
    return found.has(use.heldId) ? withoutOwnPrice(use) : [];
  });
}

/** What a workspace has agreed on for itself is not told to another. */
function withoutOwnPrice(use: GateUseOf): GateUseOf {
  const { priceVersion } = use.terms;
  if (priceVersion === null || !isOwnVersion(priceVersion)) return use;
  return { ...use, terms: { ...use.terms, priceVersion: PRICE_OF_OTHERS } };
}

/** Most days in a row have the same held keys. */
function matchesBy(
  heldAt: (day: number) => readonly HeldProviderKey[],
  hinted: readonly ReportName[],
): (day: number) => ReadonlyMap<string, KeyMatch> {
  const known = new Map<string, ReadonlyMap<string, KeyMatch>>();
  return (day) => {
    const held = heldAt(day);
    const name = held.map(({ id }) => id).join(' ');
    let matches = known.get(name);
    if (!matches) known.set(name, (matches = matchProviderKeys(hinted, held)));
    return matches;
  };
}

function namesBy(nameOf: (model: string) => string): (model: string) => string {
  const known = new Map<string, string>();
  return (model) => {
    let name = known.get(model);
    if (name === undefined) known.set(model, (name = nameOf(model)));
    return name;
  };
}
