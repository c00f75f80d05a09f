import { type Entry, isUncertain } from '../domain/usage/call.ts';
import type { CostProvenance } from '../domain/pricing/provenance.ts';
import { NO_TERMS, type Usage } from '../domain/usage/usage.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Adjustment, TokenAmounts } from './entry-store.ts';
import type { RecordedEntry } from './usage-queries.ts';

/** Returns the effective cost of an entry, nano-USD; null = unknown. */
export function effectiveCost({ entry, adjustments }: RecordedEntry): number | null {
  const last = adjustments.at(-1);
  return last ? last.costAfter : entry.cost;
}

/** Returns the provenance of the effective cost; null = unknown, or the provider did not charge. */
export function effectiveProvenance({ entry, adjustments }: RecordedEntry): CostProvenance | null {
  return adjustments.at(-1)?.provenance ?? entry.provenance;
}

/** Returns the entry with its adjustments applied. */
export function effectiveEntry({ entry, adjustments }: RecordedEntry): Entry {
  const last = adjustments.at(-1);
  if (!last) return entry;
  const { priced: _, ...corrected } = correctedEntry(entry, last.costAfter, adjustments);
  return last.priced ? { ...corrected, priced: last.priced } : corrected;
}

function correctedEntry(entry: Entry, cost: number | null, adjustments: readonly Adjustment[]): Entry {
  const known = adjustments.findLast(({ resolved, narrowed }) => resolved ?? narrowed);
  if (known?.resolved) return resolvedEntry(entry, cost, known.resolved);
  return withCost(
    known?.narrowed ? { ...entry, cost: known.costAfter, usageSource: 'reported', ...known.narrowed } : entry,
    cost,
  );
}

function withCost(entry: Entry, cost: number | null): Entry {
  if (cost === entry.cost) return entry;
  const { usd } = entry.counted;
  // Limits keep counting all that an uncertain call may have cost.
  const counted = isUncertain(entry) ? Math.max(usd ?? 0, cost ?? 0) : (cost ?? usd);
  return { ...entry, cost, counted: { ...entry.counted, usd: counted } };
}

function resolvedEntry(entry: Entry, cost: number | null, { usage: known, ...tokens }: TokenAmounts): Entry {
  const usage: Usage = known ?? {
    inferences: [
      { model: null, tokens: { input: tokens.inputTokens, output: tokens.outputTokens }, promptTokens: null },
    ],
    uses: entry.usage?.uses ?? {},
    thinking: 0,
    terms: entry.usage?.terms ?? NO_TERMS,
  };
  const usageSource = known ? 'reported' : entry.usageSource;
  return { ...entry, uncertainReason: null, cost, usage, usageSource, counted: { usd: cost, ...tokens } };
}

/**
 * Throws unless an adjustment starts from the effective cost. A correction of a stale cost would be added to one that
 * it did not see.
 */
export function checkAdjustment(
  { callId, costBefore, costAfter, resolved, narrowed }: Adjustment,
  recorded: RecordedEntry,
): void {
  const cost = effectiveCost(recorded);
  if (costBefore !== cost)
    throw new TollbookError(
      'conflict',
      `The effective cost of call ${callId} is ${cost} nano-USD, but the adjustment starts from ${costBefore}. Read the entry again.`,
    );
  if (!resolved && !narrowed) return;
  if (costAfter === null)
    throw new TollbookError('invalid', 'Say what the call cost; 0 if it cost nothing.', 'costAfter');
  if (recorded.entry.outcome === 'not_sent' || !isUncertain(effectiveEntry(recorded)))
    throw new TollbookError('unprocessable', `Nothing about call ${callId} is uncertain; there is nothing to resolve.`);
}
