import { isDeepStrictEqual } from 'node:util';
import { setImmediate } from 'node:timers/promises';
import { LIMITS } from '../config.ts';
import { priceUsage, type ResolveCard } from '../domain/pricing/pricing.ts';
import { concernsCall, isContractVersion, type PriceContract } from '../domain/pricing/contract.ts';
import { cardVersions, type CostProvenance, fromPrices, isCustomVersion } from '../domain/pricing/provenance.ts';
import { BATCHES } from '../domain/usage/call.ts';
import type { Usage } from '../domain/usage/usage.ts';
import { pricedCosts } from '../domain/usage/settle.ts';
import { callPrices } from '../prices/call-prices.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { Records } from '../storage/records/records.ts';
import { effectiveCost, effectiveEntry, effectiveProvenance } from '../storage/effective-entry.ts';
import type { Job } from './schedule.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time/units.ts';
import type { RateCard, WorkspaceCard } from '../domain/pricing/price.ts';
import { coversModel } from '../domain/pricing/model-names.ts';
import type { Adjustment, EntryStore } from '../storage/entry-store.ts';
import type { EntriesQuery, RecordedEntry, UsageQueries } from '../storage/usage-queries.ts';

const PAGE_ROWS = 500;

type EntriesPage = Awaited<ReturnType<UsageQueries['entriesPage']>>;

export interface RepriceParts {
  readonly records: {
    readonly workspaces: Pick<Records['workspaces'], 'list'>;
    readonly prices: Pick<Records['prices'], 'all'>;
    readonly contracts: Pick<Records['contracts'], 'all'>;
  };
  readonly reports: Pick<UsageQueries, 'entriesPage'>;
  readonly entries: Pick<EntryStore, 'adjust'>;
  readonly prices: Pick<PriceBook, 'resolve' | 'contracts'>;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Entries to price again, and whether one that has a price may get another. */
interface RepriceQuery {
  readonly workspaceId: string;
  /** Start of the first entry, epoch ms. */
  readonly from: number;
  readonly filter: EntriesQuery['filter'];
  readonly concerns: (recorded: RecordedEntry) => boolean;
  readonly mayCorrect: boolean;
}

/**
 * Prices entries again after a price is added or corrected. An entry with known usage gets the price at its start;
 * if the effective cost changes, an adjustment is added. Entries are never edited, and a newer base price list never
 * changes an entry that had a price.
 */
async function reprice(parts: RepriceParts, what: RepriceQuery, signal: AbortSignal): Promise<void> {
  const { workspaceId, filter } = what;
  const range = { start: what.from, end: parts.clock() };
  const steps = { limit: PAGE_ROWS, scanMax: LIMITS.entriesScanMax };
  let cursor: string | null = null;
  let corrected = 0;
  do {
    const page: EntriesPage = await parts.reports.entriesPage(workspaceId, { range, filter, cursor, ...steps });
    const adjustments = page.rows
      .filter(what.concerns)
      .flatMap((recorded) => repriceEntry(parts, what, recorded) ?? []);
    if (adjustments.length > 0) corrected += (await parts.entries.adjust(adjustments)).inserted;
    cursor = page.next;
    await setImmediate();
  } while (cursor !== null && !signal.aborted);
  if (corrected > 0) parts.log.info({ workspaceId, corrected }, 'entries were repriced');
}

/** Returns the adjustment of an entry; null = its effective cost is already right. */
export function repriceEntry(
  parts: Pick<RepriceParts, 'prices' | 'providers' | 'clock'>,
  what: Pick<RepriceQuery, 'mayCorrect'>,
  recorded: RecordedEntry,
): Adjustment | null {
  const { entry, adjustments } = recorded;
  const usage = reportedUsage(recorded);
  if (!usage || entry.model === null) return null;
  const before = effectiveCost(recorded);
  const given = effectiveProvenance(recorded);
  if (given && !dependsOnPrices(given)) return null;
  const provider = parts.providers.get(entry.provider);
  const { list, contracted: resolve } = callPrices(parts.prices, entry, provider?.priceProvider ?? entry.provider);
  const { cost, versions } = priceUsage(usage, entry.model, resolve);
  const provenance = fromPrices(versions);
  // A removed price leaves the costs that it gave.
  if (cost === null || provenance === null) return null;
  if (entry.operation === BATCHES && isSameSum(entry.model, { given, versions, resolve })) return null;
  const priced = pricedCosts(usage, entry.model, { cost, isStated: false }, { resolve, list });
  if (cost === before && isDeepStrictEqual(priced ?? undefined, effectiveEntry(recorded).priced)) return null;
  const own = [...versions, ...(given ? cardVersions(given) : [])].some(isOwnVersion);
  if (before !== null && !(what.mayCorrect && own)) return null;
  return {
    adjustmentId: `${entry.callId}:${adjustments.length + 1}`,
    callId: entry.callId,
    workspaceId: entry.workspaceId,
    recordedAt: parts.clock(),
    costBefore: before,
    costAfter: cost,
    ...(priced && { priced }),
    provenance,
    reason: before === null ? 'the price became known' : 'the price was corrected',
  };
}

/** Returns the usage that a provider reported with the response, or later; null = none. */
function reportedUsage(recorded: RecordedEntry): Usage | null {
  const isLater = recorded.adjustments.some(({ resolved, narrowed }) => resolved?.usage ?? narrowed);
  const { usage, usageSource } = effectiveEntry(recorded);
  return isLater || usageSource === 'reported' ? usage : null;
}

interface SumPrices {
  readonly given: CostProvenance | null;
  readonly versions: readonly string[];
  readonly resolve: ResolveCard;
}

/**
 * Returns true if a batch keeps its cost: the results were rounded one by one, so that their sum is repriced only for another
 * price, and their number, on which a fee per request depends, is not in it.
 */
function isSameSum(model: string, { given, versions, resolve }: SumPrices): boolean {
  if (resolve(model)?.fees.request !== undefined) return true;
  return given !== null && isDeepStrictEqual(cardVersions(given).toSorted(), versions.toSorted());
}

/** Reports whether a price depends on what the workspace set. */
function isOwnVersion(version: string): boolean {
  return isCustomVersion(version) || isContractVersion(version);
}

/** Returns true if the cost comes from a price. Other sources are not repriced. */
function dependsOnPrices(provenance: CostProvenance): boolean {
  switch (provenance.from) {
    case 'price':
      return true;
    case 'report':
    case 'person':
    case 'provider':
    case 'subscription':
      return false;
    default:
      return provenance satisfies never;
  }
}

/** Prices unpriced calls as soon as a price exists. */
export function unpricedJob(parts: RepriceParts): Job {
  const what = { from: 0, filter: { unpriced: true }, concerns: () => true, mayCorrect: false };
  return {
    name: 'unpriced',
    everyMs: DAY_MS,
    async run(signal) {
      for (const { id } of await parts.records.workspaces.list())
        await reprice(parts, { workspaceId: id, ...what }, signal);
    },
  };
}

/** Changes that wait for the job; above this, it checks all custom prices. */
const CHANGES_MAX = 1_000;

/** Time from the first run after a change to its last one: by then the calls that ended before it are in the ledger. */
const REPEAT_MS = MINUTE_MS;
/** A little less, so that its last run is the last. */
const KEPT_MS = REPEAT_MS - SECOND_MS;

interface WaitingChange<Change> {
  readonly change: Change;
  /** Time at which it was taken first; null = it was not yet. */
  takenAt: number | null;
}

/** Changed records that wait for a job. Each is taken for a minute, because calls may be on their way to the ledger. */
class WaitingChanges<Change> {
  #changes: WaitingChange<Change>[] = [];

  add(change: Change): void {
    if (this.#changes.length <= CHANGES_MAX) this.#changes.push({ change, takenAt: null });
  }

  /** Returns the changes, and drops each one a minute after it was taken first; null = check all records. */
  take(now: number): readonly Change[] | null {
    const changes = this.#changes;
    for (const each of changes) each.takenAt ??= now;
    this.#changes = changes.filter(({ takenAt }) => takenAt !== null && now < takenAt + KEPT_MS);
    return changes.length === 0 || changes.length > CHANGES_MAX ? null : changes.map(({ change }) => change);
  }
}

/** Custom prices that changed since the last run. */
export class ChangedPrices extends WaitingChanges<WorkspaceCard> {}

/** Contracts that were set or removed since the last run. */
export class ChangedContracts extends WaitingChanges<PriceContract> {}

/**
 * Corrects calls after a custom price changed: those of its workspace, provider and model, from its first day on. Its
 * last day is no bound, because the replaced price may have lasted longer. Once a day, without a change, it checks
 * all custom prices, in case a change came just before a crash.
 */
export function customPricesJob(parts: RepriceParts, changed: ChangedPrices): Job {
  return {
    name: 'own_prices',
    everyMs: DAY_MS,
    repeatMs: REPEAT_MS,
    async run(signal) {
      const cards = changed.take(parts.clock()) ?? (await parts.records.prices.all());
      for (const [workspaceId, models] of Map.groupBy(cards, (card) => card.workspaceId))
        for (const [priceProvider, own] of Map.groupBy(models, ({ card }) => card.provider))
          for (const provider of listProvidersPricedAs(parts, priceProvider)) {
            const from = Math.min(...own.map(({ card }) => card.from ?? 0));
            const concerns = (recorded: RecordedEntry): boolean => own.some(({ card }) => concernsCard(card, recorded));
            await reprice(parts, { workspaceId, from, filter: { provider }, concerns, mayCorrect: true }, signal);
          }
    },
  };
}

/**
 * Corrects calls after a contract was set or removed. From its first day on, the calls in its scope get the prices of
 * the contracts that exist now. Once a day, without a change, it checks all contracts.
 */
export function contractsJob(parts: RepriceParts, changed: ChangedContracts): Job {
  return {
    name: 'contracts',
    everyMs: DAY_MS,
    repeatMs: REPEAT_MS,
    async run(signal) {
      for (const contract of changed.take(parts.clock()) ?? (await parts.records.contracts.all())) {
        const { workspaceId, from } = contract;
        const filter = contractFilter(contract);
        const concerns = ({ entry }: RecordedEntry): boolean => concernsCall(contract, entry);
        await reprice(parts, { workspaceId, from: from ?? 0, filter, concerns, mayCorrect: true }, signal);
      }
    },
  };
}

/** Returns a filter for the calls that a contract may be about. */
export function contractFilter({ scope: { provider, keyId, tag } }: PriceContract): EntriesQuery['filter'] {
  return { ...(provider !== null && { provider }), ...(keyId !== null && { keyId }), ...(tag && { tag }) };
}

/** Lists the providers whose calls use this provider's prices. */
export function listProvidersPricedAs({ providers }: Pick<RepriceParts, 'providers'>, priceProvider: string): string[] {
  const sharing = [...providers.values()].filter((provider) => provider.priceProvider === priceProvider);
  // Calls of a removed provider use prices under its own name.
  const itself = providers.has(priceProvider) ? [] : [priceProvider];
  return [...sharing.map(({ id }) => id), ...itself];
}

/** Tests whether a call used a model that a custom price covers. */
export function concernsCard({ model }: RateCard, { entry }: RecordedEntry): boolean {
  const models = [entry.model, ...(entry.usage?.inferences ?? []).map((inference) => inference.model)];
  return models.some((used) => used !== null && coversModel(model, used));
}
