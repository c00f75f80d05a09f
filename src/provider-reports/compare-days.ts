import { setImmediate } from 'node:timers/promises';
import { isReported } from '../domain/reconciliation/gateway-use.ts';
import { type HeldProviderKey, heldOn, holders } from '../domain/reconciliation/held-keys.ts';
import { type KeyMatch, matchProviderKeys } from '../domain/reconciliation/match-provider-keys.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { hasCustomPrice } from '../domain/pricing/provenance.ts';
import type { ReportedCost, ReportName } from '../domain/reconciliation/provider-report.ts';
import { type ReconciledDay, reconcileInSteps } from '../domain/reconciliation/reconcile.ts';
import type { HeldUse } from '../domain/reconciliation/day-cells.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { StoredDay, ReportCell } from '../storage/provider-reports.ts';
import type { Records } from '../storage/records/records.ts';
import { moveCarriedOver, findCarriedOver, BOUNDARIES_MAX, memoizeDays } from './carried-over.ts';
import { groupKeysOn } from './organization-day.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { Period } from '../domain/time/period.ts';
import type { KeyUse, UsageQueries } from '../storage/usage-queries.ts';

/** Days of a range that have been read for an organization. */
export interface ReportedDays {
  readonly range: Period;
  /** Days from `readFrom` on have been read, and days before `closedBefore` are final. */
  readonly readFrom: number;
  readonly closedBefore: number;
  readonly costs: readonly StoredDay<ReportedCost>[];
  readonly names: readonly ReportName[];
}

interface CompareParts {
  readonly records: Pick<Records, 'keys' | 'workspaces'>;
  readonly reports: Pick<UsageQueries, 'keyUses' | 'lateUses'>;
  /** Returns the reported usage of a day, by key and model. */
  cells(day: number): Promise<readonly ReportCell[]>;
  /** Returns the list price of a model on a day. */
  resolve(model: string, day: number): RateCard | null;
  /** Returns true if the workspace has a custom price for the model. */
  isOwnPrice(workspaceId: string, model: string, day: number): boolean;
}

export interface ComparedDays extends Pick<ReportedDays, 'range' | 'names' | 'closedBefore'> {
  /** Returns the wrapped keys that held a reported key for a whole UTC day; null = unknown, or not the whole day. */
  wrappedOn(key: string, day: number): ReadonlySet<string> | null;
  /** Returns the wrapped keys that held it on any of the days. */
  wrappedIn(key: string): ReadonlySet<string>;
  nameOf(model: string): string;
  /** Returns the usage of calls that ran over the end of a day and that the provider counts on the next day. */
  carriedOver(day: number): Promise<readonly KeyUse[]>;
  /** Compares day by day, and lets other work run in between. */
  days(): AsyncGenerator<ReconciledDay, void, undefined>;
}

/**
 * Compares the reports of an organization with the proxied usage of all workspaces. Calls with keys that are not found in
 * the organization are included only for the connection's own workspace.
 */
export async function compareDays(
  { provider, workspaceId }: Pick<AdminKey, 'provider' | 'workspaceId'>,
  reported: ReportedDays,
  parts: CompareParts,
): Promise<ComparedDays> {
  const { range, closedBefore, names } = reported;
  const held = await parts.records.keys.heldKeys(provider);
  const hinted = names.filter(({ kind }) => kind === 'key');
  const matchesOn = memoizeMatches((day) => heldOn(held, day), hinted);
  const terms = {
    nameOf: memoizeNames((model) => parts.resolve(model, range.start)?.model ?? model),
    resolve: (model: string, day: number) => parts.resolve(model, day),
  };
  const gateway = await ProxiedDays.open(provider, held, range, parts);
  const night = {
    ...reported,
    late: (day: number) => gateway.late(day),
    cells: memoizeDays((day) => parts.cells(day)),
    uses: memoizeDays((day) => gateway.on(day)),
    groupsOn: (day: number, cells: readonly ReportCell[], passed: readonly KeyUse[]) =>
      groupKeysOn({ hinted, held }, day, cells, passed),
    nameOf: terms.nameOf,
  };
  const carried = memoizeDays(findCarriedOver(night));
  return {
    range,
    names,
    closedBefore,
    nameOf: terms.nameOf,
    carriedOver: carried,
    wrappedOn(key, day) {
      const match = matchesOn(day).get(key);
      const own = match?.is === 'one' ? held.filter(({ id }) => match.heldIds.includes(id)) : [];
      const isWhole = own.every(
        ({ heldSince, heldUntil }) => heldSince <= day && (heldUntil ?? Infinity) >= day + DAY_MS,
      );
      return own.length > 0 && isWhole ? new Set(own.flatMap(({ wrappedKeyIds }) => wrappedKeyIds)) : null;
    },
    wrappedIn(key) {
      const found = new Set<string>();
      for (let day = range.start; day < range.end; day += DAY_MS) {
        const match = matchesOn(day).get(key);
        if (match?.is === 'one')
          for (const { id, wrappedKeyIds } of held)
            if (match.heldIds.includes(id)) for (const wrapped of wrappedKeyIds) found.add(wrapped);
      }
      return found;
    },
    async *days() {
      const costs = new Map(reported.costs.map(({ day, rows }) => [day, rows]));
      for (let day = range.start; day < range.end; day += DAY_MS) {
        const passed = moveCarriedOver(day, await night.uses(day), await carried(day - DAY_MS), await carried(day));
        const facts = {
          reported: await night.cells(day),
          proxied: visibleTo(workspaceId, passed, matchesOn(day)),
          costs: costs.get(day) ?? [],
        };
        await setImmediate();
        const inParts = { ...terms, matches: matchesOn(day) };
        const steps = reconcileInSteps({ day, isClosed: day < closedBefore, ...facts }, inParts);
        let step = steps.next();
        for (; !step.done; step = steps.next()) await setImmediate();
        yield step.value;
        await setImmediate();
      }
    },
  };
}

interface HeldKeyUse extends KeyUse {
  readonly workspaceId: string;
  readonly heldId: string;
  readonly isOwnPriced: boolean;
}

/** Proxied usage of all workspaces. Calls whose key is unknown on a day belong to no held key. */
class ProxiedDays {
  readonly #provider: string;
  readonly #parts: CompareParts;
  readonly #workspaces: readonly string[];
  readonly #holderOf: ReturnType<typeof holders>;
  #late: ReadonlyMap<number, readonly HeldKeyUse[]> = new Map();

  static async open(
    provider: string,
    held: readonly HeldProviderKey[],
    { start, end }: Period,
    parts: CompareParts,
  ): Promise<ProxiedDays> {
    const days = new ProxiedDays(
      provider,
      held,
      (await parts.records.workspaces.list()).map(({ id }) => id),
      parts,
    );
    const around = { start: start - (BOUNDARIES_MAX + 2) * DAY_MS, end: end + (BOUNDARIES_MAX + 1) * DAY_MS };
    const late = await days.#all((id) => parts.reports.lateUses(id, around));
    days.#late = Map.groupBy(late, ({ day }) => day);
    return days;
  }

  private constructor(
    provider: string,
    held: readonly HeldProviderKey[],
    workspaces: readonly string[],
    parts: CompareParts,
  ) {
    this.#provider = provider;
    this.#parts = parts;
    this.#workspaces = workspaces;
    this.#holderOf = holders(held);
  }

  /** Returns the usage of calls that ran over the end of the day. */
  late(day: number): readonly HeldKeyUse[] {
    return this.#late.get(day) ?? [];
  }

  /** Returns the usage of calls that began on the day. */
  async on(day: number): Promise<readonly HeldKeyUse[]> {
    return await this.#all((id) => this.#parts.reports.keyUses(id, { start: day, end: day + DAY_MS }));
  }

  async #all(read: (workspaceId: string) => Promise<readonly KeyUse[]>): Promise<HeldKeyUse[]> {
    const found: HeldKeyUse[] = [];
    for (const workspaceId of this.#workspaces)
      for (const use of await read(workspaceId))
        if (use.terms.provider === this.#provider) found.push(this.#ofWorkspace(workspaceId, use));
    return found;
  }

  #ofWorkspace(workspaceId: string, use: KeyUse): HeldKeyUse {
    const { day, keyId, model, terms } = use;
    const heldId = this.#holderOf(keyId, day)?.id ?? '';
    const isOwnPriced =
      terms.certainty === 'at_most' && model !== null && this.#parts.isOwnPrice(workspaceId, model, day);
    return { ...use, workspaceId, heldId, isOwnPriced };
  }
}

/** Keeps the calls of other workspaces only for the organization's keys. */
function visibleTo(
  workspaceId: string,
  uses: readonly HeldKeyUse[],
  matches: ReadonlyMap<string, KeyMatch>,
): readonly HeldUse[] {
  if (uses.every((use) => use.workspaceId === workspaceId)) return uses;
  const found = new Set([...matches.values()].flatMap((match) => (match.is === 'one' ? match.heldIds : [])));
  return uses.flatMap((use) => {
    if (use.workspaceId === workspaceId) return use;
    return found.has(use.heldId) ? withoutOwnPrice(use) : [];
  });
}

/** Hides a workspace's custom price from other workspaces. */
function withoutOwnPrice(use: HeldKeyUse): HeldUse {
  const { provenance } = use.terms;
  if (provenance === null || !hasCustomPrice(provenance)) return use;
  return { ...use, terms: { ...use.terms, provenance: { from: 'hidden', isReported: isReported(provenance) } } };
}

/** Remembers matches by the set of held keys, which is the same on most days. */
function memoizeMatches(
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

function memoizeNames(nameOf: (model: string) => string): (model: string) => string {
  const known = new Map<string, string>();
  return (model) => {
    let name = known.get(model);
    if (name === undefined) known.set(model, (name = nameOf(model)));
    return name;
  };
}
