import { setImmediate } from 'node:timers/promises';
import { LIMITS } from '../config.ts';
import { concernsCall, type PriceContract } from '../domain/pricing/contract.ts';
import type { WorkspaceCard } from '../domain/pricing/price.ts';
import type { RepricedSum } from '../domain/pricing/repriced-sum.ts';
import { ContractBook } from '../prices/contract-book.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { EntriesQuery, RecordedEntry } from '../storage/usage-queries.ts';
import { concernsCard, contractFilter, listProvidersPricedAs, repriceEntry, type RepriceParts } from './reprice.ts';

/** Calls that one preview reads: the newest. */
const PREVIEW_ENTRIES_MAX = 50_000;
const PAGE_ROWS = 500;
/** Pages of a filter that few calls match: a second or two on a large ledger. */
const PAGES_MAX = 400;

export interface PreviewParts extends Pick<RepriceParts, 'reports' | 'providers' | 'clock'> {
  readonly prices: Pick<PriceBook, 'resolve' | 'contracts' | 'withUserCards'>;
}

/**
 * Sums the calls that get another cost if a contract is set, without setting it.
 * @param contracts the contracts of its workspace, with this one and without the one that it replaces
 */
export async function previewContract(
  parts: PreviewParts,
  contract: PriceContract,
  contracts: readonly PriceContract[],
): Promise<RepricedSum> {
  const tried = new ContractBook();
  tried.set(contracts);
  return await sumRepriced(
    { ...parts, prices: { resolve: parts.prices.resolve.bind(parts.prices), contracts: tried } },
    {
      workspaceId: contract.workspaceId,
      from: contract.from ?? 0,
      filter: contractFilter(contract),
      concerns: ({ entry }) => concernsCall(contract, entry),
    },
  );
}

/**
 * Sums the calls that get another cost if a custom price is set, without setting it.
 * @param cards the custom prices of its workspace, with this one and without the one that it replaces
 */
export async function previewPrice(
  parts: PreviewParts,
  own: WorkspaceCard,
  cards: readonly WorkspaceCard[],
): Promise<RepricedSum> {
  const { workspaceId, card } = own;
  const trial = { ...parts, prices: parts.prices.withUserCards(cards) };
  const concerns = (recorded: RecordedEntry): boolean => concernsCard(card, recorded);
  const sums: RepricedSum[] = [];
  for (const provider of listProvidersPricedAs(parts, card.provider))
    sums.push(await sumRepriced(trial, { workspaceId, from: card.from ?? 0, filter: { provider }, concerns }));
  return sums.reduce(addRepriced, NONE);
}

const NONE: RepricedSum = { calls: 0, unpricedCalls: 0, costBefore: 0n, costAfter: 0n, from: null, isComplete: true };

function addRepriced(a: RepricedSum, b: RepricedSum): RepricedSum {
  const starts = [a.from, b.from].filter((from) => from !== null);
  return {
    calls: a.calls + b.calls,
    unpricedCalls: a.unpricedCalls + b.unpricedCalls,
    costBefore: a.costBefore + b.costBefore,
    costAfter: a.costAfter + b.costAfter,
    from: starts.length === 0 ? null : Math.min(...starts),
    isComplete: a.isComplete && b.isComplete,
  };
}

interface PreviewedCalls {
  readonly workspaceId: string;
  /** Start of the first call, epoch ms. */
  readonly from: number;
  readonly filter: EntriesQuery['filter'];
  readonly concerns: (recorded: RecordedEntry) => boolean;
}

async function sumRepriced(
  trial: Pick<RepriceParts, 'reports' | 'prices' | 'providers' | 'clock'>,
  { workspaceId, from, filter, concerns }: PreviewedCalls,
): Promise<RepricedSum> {
  const range = { start: from, end: trial.clock() };
  let sum = NONE;
  let cursor: string | null = null;
  for (let pages = 0, read = 0; pages < PAGES_MAX && read < PREVIEW_ENTRIES_MAX; pages += 1) {
    const query = { range, filter, cursor, limit: PAGE_ROWS, scanMax: LIMITS.entriesScanMax };
    const page: { rows: readonly RecordedEntry[]; next: string | null } = await trial.reports.entriesPage(
      workspaceId,
      query,
    );
    const concerned = page.rows.filter(concerns);
    for (const recorded of concerned) sum = addRepriced(sum, tryPrices(trial, recorded));
    if (page.next === null) return sum;
    cursor = page.next;
    read += concerned.length;
    await setImmediate();
  }
  return { ...sum, isComplete: false };
}

/** Returns what a call costs before and after; nothing if its cost stays. */
function tryPrices(trial: Pick<RepriceParts, 'prices' | 'providers' | 'clock'>, recorded: RecordedEntry): RepricedSum {
  const change = repriceEntry(trial, { mayCorrect: true }, recorded);
  if (!change || change.costAfter === change.costBefore) return NONE;
  return {
    calls: 1,
    unpricedCalls: change.costBefore === null ? 1 : 0,
    costBefore: BigInt(change.costBefore ?? 0),
    costAfter: BigInt(change.costAfter ?? 0),
    from: recorded.entry.startedAt,
    isComplete: true,
  };
}
