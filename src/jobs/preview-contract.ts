import { setImmediate } from 'node:timers/promises';
import { LIMITS } from '../config.ts';
import { concernsCall, type PriceContract } from '../domain/pricing/contract.ts';
import type { RecordedEntry } from '../storage/usage-queries.ts';
import { ContractBook } from '../prices/contract-book.ts';
import { contractFilter, repriceEntry, type RepriceParts } from './reprice.ts';

/** Calls that one preview reads: the newest. */
const PREVIEW_ENTRIES_MAX = 50_000;
const PAGE_ROWS = 500;
/** Pages of a filter that few calls match. */
const PAGES_MAX = 200;

export type ContractPreviewParts = Pick<RepriceParts, 'reports' | 'prices' | 'providers' | 'clock'>;

/** Recorded calls that a contract would price again; costs in nano-USD. */
export interface RepricedCalls {
  readonly calls: number;
  readonly costBefore: bigint;
  readonly costAfter: bigint;
  /** Start of the first of them, epoch ms; null = none. */
  readonly from: number | null;
  /** false = there are more calls than were read. */
  readonly isComplete: boolean;
}

/**
 * Sums the calls that get another cost if a contract is set, without setting it.
 * @param contracts the contracts of its workspace, with this one and without the one that it replaces
 */
export async function previewContract(
  { reports, prices, ...parts }: ContractPreviewParts,
  contract: PriceContract,
  contracts: readonly PriceContract[],
): Promise<RepricedCalls> {
  const tried = new ContractBook();
  tried.set(contracts);
  const trial = { ...parts, prices: { resolve: prices.resolve.bind(prices), contracts: tried } };
  const range = { start: contract.from ?? 0, end: parts.clock() };
  const sum = { calls: 0, costBefore: 0n, costAfter: 0n, from: null as number | null };
  let cursor: string | null = null;
  for (let pages = 0, read = 0; pages < PAGES_MAX && read < PREVIEW_ENTRIES_MAX; pages += 1) {
    const query = { range, filter: contractFilter(contract), cursor, limit: PAGE_ROWS, scanMax: LIMITS.entriesScanMax };
    const page: { rows: readonly RecordedEntry[]; next: string | null } = await reports.entriesPage(
      contract.workspaceId,
      query,
    );
    for (const recorded of page.rows) {
      if (!concernsCall(contract, recorded.entry)) continue;
      const change = repriceEntry(trial, { mayCorrect: true }, recorded);
      if (!change || change.costAfter === change.costBefore) continue;
      sum.calls += 1;
      sum.costBefore += BigInt(change.costBefore ?? 0);
      sum.costAfter += BigInt(change.costAfter ?? 0);
      sum.from = recorded.entry.startedAt;
    }
    if (page.next === null) return { ...sum, isComplete: true };
    cursor = page.next;
    read += page.rows.length;
    await setImmediate();
  }
  return { ...sum, isComplete: false };
}
