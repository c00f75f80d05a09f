import { setImmediate } from 'node:timers/promises';
import { LIMITS } from '../config.ts';
import { priceUsage } from '../domain/pricing/pricing.ts';
import { fromPrices, hasCustomPrice, isCustomVersion, type CostProvenance } from '../domain/pricing/provenance.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { Records } from '../storage/records/records.ts';
import { effectiveCost, effectiveProvenance } from '../storage/booked.ts';
import type { Adjustment, RecordedEntry, EntriesQuery, EntryStore, UsageQueries } from '../storage/store.ts';

const PAGE_ROWS = 500;

type EntriesPage = Awaited<ReturnType<UsageQueries['entriesPage']>>;

export interface RepriceParts {
  readonly records: {
    readonly workspaces: Pick<Records['workspaces'], 'list'>;
    readonly prices: Pick<Records['prices'], 'all'>;
  };
  readonly reports: Pick<UsageQueries, 'entriesPage'>;
  readonly entries: Pick<EntryStore, 'adjust'>;
  readonly prices: Pick<PriceBook, 'resolve'>;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Which entries are looked at again, and whether one that has a price may get another. */
export interface RepriceQuery {
  readonly workspaceId: string;
  /** Epoch ms of the first entry. */
  readonly from: number;
  readonly filter: EntriesQuery['filter'];
  readonly concerns: (booked: RecordedEntry) => boolean;
  readonly mayCorrect: boolean;
}

/**
 * Corrects the book when a price arrives or is corrected: an entry with known usage is priced again as of its own time,
 * and where the result differs from what the book believes an adjustment is added. Entries are never edited, and a
 * newer base price list never changes what had a price: history keeps the price it was given.
 */
export async function reprice(parts: RepriceParts, what: RepriceQuery, signal: AbortSignal): Promise<void> {
  const { workspaceId, filter } = what;
  const range = { start: what.from, end: parts.clock() };
  const steps = { limit: PAGE_ROWS, scanMax: LIMITS.entriesScanMax };
  let cursor: string | null = null;
  let corrected = 0;
  do {
    const page: EntriesPage = await parts.reports.entriesPage(workspaceId, { range, filter, cursor, ...steps });
    const adjustments = page.rows.filter(what.concerns).flatMap((booked) => repriceEntry(parts, what, booked) ?? []);
    if (adjustments.length > 0) corrected += (await parts.entries.adjust(adjustments)).inserted;
    cursor = page.next;
    await setImmediate();
  } while (cursor !== null && !signal.aborted);
  if (corrected > 0) parts.log.info({ workspaceId, corrected }, 'entries were priced anew');
}

/** null = the book already believes what the prices of today say about that day. */
function repriceEntry(parts: RepriceParts, what: RepriceQuery, booked: RecordedEntry): Adjustment | null {
  const { entry, adjustments } = booked;
  if (entry.usageSource !== 'reported' || !entry.usage || entry.model === null) return null;
  const believed = effectiveCost(booked);
  const given = effectiveProvenance(booked);
  if (given && !dependsOnPrices(given)) return null;
  const provider = parts.providers.get(entry.provider);
  const resolve = (model: string): ReturnType<PriceBook['resolve']> =>
    parts.prices.resolve(entry.workspaceId, provider?.priceProvider ?? entry.provider, model, entry.startedAt);
  const { cost, versions } = priceUsage(entry.usage, entry.model, resolve);
  const provenance = fromPrices(versions);
  // A price that went away again leaves what it once gave: history is not unpriced.
  if (cost === null || provenance === null || cost === believed) return null;
  const own = versions.some(isCustomVersion) || (given !== null && hasCustomPrice(given));
  if (believed !== null && !(what.mayCorrect && own)) return null;
  return {
    adjustmentId: `${entry.callId}:${adjustments.length + 1}`,
    callId: entry.callId,
    workspaceId: entry.workspaceId,
    recordedAt: parts.clock(),
    costBefore: believed,
    costAfter: cost,
    provenance,
    reason: believed === null ? 'the price became known' : 'the price was corrected',
  };
}

/** Another price changes no cost that somebody else said. */
function dependsOnPrices(provenance: CostProvenance): boolean {
  switch (provenance.from) {
    case 'price':
      return true;
    case 'report':
    case 'person':
    case 'provider':
      return false;
    default:
      return provenance satisfies never;
  }
}
