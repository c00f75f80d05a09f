import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { type ModelUse, RunningTotals, sumTokens } from './model-use.ts';
import { type PlanBlock, PlanBlocks } from '../../domain/sessions/plan-blocks.ts';
import { HOUR_MS } from '../../domain/time/units.ts';

/** Minimum time of a block before it has a rate, which one large call would distort. */
const BURN_LEAST_MS = 5 * 60_000;

/** Five hours of one assistant. */
export interface UsageBlock extends PlanBlock {
  readonly source: LocalSource;
  readonly first: number;
  readonly last: number;
  /** ms between the end of the previous block and this start; null = first block. */
  readonly gapBefore: number | null;
  readonly models: readonly string[];
  readonly totals: RunningTotals;
}

interface OpenBlock extends UsageBlock {
  last: number;
  readonly models: string[];
}

/**
 * Builds blocks, sorted by start. All uses determine the starts, but only uses that pass `isAsked` are summed.
 *
 * @param uses the earliest first
 */
export function buildBlocks(uses: Iterable<ModelUse>, isAsked: (use: ModelUse) => boolean = () => true): UsageBlock[] {
  const blocks: OpenBlock[] = [];
  const times = new PlanBlocks<LocalSource>();
  const open = new Map<LocalSource, OpenBlock>();
  for (const use of uses) {
    const { source, at } = use.call;
    const time = times.at(source, at);
    let block = open.get(source);
    if (!block || block.start !== time.start) {
      const gapBefore = block ? time.start - block.end : null;
      block = {
        source,
        ...time,
        first: at,
        last: at,
        gapBefore,
        models: [],
        totals: new RunningTotals(),
      };
      open.set(source, block);
      blocks.push(block);
    }
    if (!isAsked(use)) continue;
    block.last = at;
    if (!block.models.includes(use.model)) block.models.push(use.model);
    block.totals.add(use);
  }
  return blocks.filter(({ models }) => models.length > 0).toSorted((a, b) => a.start - b.start);
}

/** Usage rate of an open block, and estimates for its end. */
export interface BlockForecast {
  /** ms until the block ends. */
  readonly left: number;
  /** null = too early for an estimate. */
  readonly rate: {
    readonly tokensPerMinute: number;
    /** nano-USD; null = no use in the block has a price. */
    readonly costPerHour: number | null;
    readonly projectedTokens: number;
    readonly projectedCost: number | null;
  } | null;
}

/** Returns the forecast of a block; null = it is over or has not started. */
export function forecastBlock({ start, end, first, totals }: UsageBlock, now: number): BlockForecast | null {
  if (now < start || now >= end) return null;
  const left = end - now;
  const elapsed = now - first;
  if (elapsed < BURN_LEAST_MS) return { left, rate: null };
  const tokens = sumTokens(totals);
  const cost = totals.cost === null ? null : Number(totals.cost);
  const atEnd = (used: number): number => Math.round(used + (used / elapsed) * left);
  return {
    left,
    rate: {
      tokensPerMinute: Math.round((tokens / elapsed) * 60_000),
      costPerHour: cost === null ? null : Math.round((cost / elapsed) * HOUR_MS),
      projectedTokens: atEnd(tokens),
      projectedCost: cost === null ? null : atEnd(cost),
    },
  };
}
