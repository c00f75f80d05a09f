import type { UsageSummary } from '../contract/usage.ts';
import { costText } from './local-shapes.ts';
import { ROWS_MAX, table } from './render.ts';
import { countNoun, formatCount } from '../domain/text/counts.ts';
import { formatPart } from '../domain/text/percent.ts';
import { formatDollars } from '../domain/text/money.ts';

type UsageShares = UsageSummary['byModel'];

/** Parts of a cost, most expensive first; many small ones are one row. */
export function shareTable(heading: string, shares: UsageShares, totalCost: number): string {
  const rows = Object.entries(shares);
  const shown = rows.slice(0, ROWS_MAX);
  const rest = rows.slice(ROWS_MAX).reduce(addShare, { cost: 0, calls: 0 });
  const folded = [...shown, ...(rows.length > ROWS_MAX ? [[`${rows.length - ROWS_MAX} more`, rest] as const] : [])];
  return table(
    [heading, '>Cost', '>Share', '>Calls'],
    folded.map(([name, share]) => [name, partCost(share), formatPart(share.cost, totalCost), formatCount(share.calls)]),
  );
}

function addShare(sum: UsageShares[string], [, share]: readonly [string, UsageShares[string]]): UsageShares[string] {
  return {
    cost: sum.cost + share.cost,
    calls: sum.calls + share.calls,
    unpricedCalls: (sum.unpricedCalls ?? 0) + (share.unpricedCalls ?? 0),
    unpricedUsage: sum.unpricedUsage === true || share.unpricedUsage === true,
    uncertainUpTo: (sum.uncertainUpTo ?? 0) + (share.uncertainUpTo ?? 0),
  };
}

/** Formats the cost of a part of usage, with what its uncertain calls may have cost in addition. */
export function partCost({ uncertainUpTo = 0, ...share }: Omit<UsageShares[string], 'calls'>): string {
  return uncertainUpTo > 0 ? `${costText(share)} (up to ${formatDollars(uncertainUpTo)} more)` : costText(share);
}

/** Returns sentences on uncertain or missing parts of a total; '' = none. */
export function uncertaintyNotes({
  unpricedCalls = 0,
  unpricedUsage = false,
  uncertainCalls = 0,
  uncertainUpTo = 0,
}: {
  readonly unpricedCalls?: number | undefined;
  readonly unpricedUsage?: boolean | undefined;
  readonly uncertainCalls?: number | undefined;
  readonly uncertainUpTo?: number | undefined;
}): string {
  return [
    unpricedCalls > 0 && `${countNoun(unpricedCalls, 'call')} without a price: their cost is unknown and not included.`,
    unpricedUsage && 'Usage outside the gateway without a price: its cost is unknown and not included.',
    uncertainCalls > 0 &&
      `${countNoun(uncertainCalls, 'call')} with uncertain cost: up to ${formatDollars(uncertainUpTo)} more than shown.`,
  ]
    .filter((note) => note !== false)
    .map((note) => `- ${note}`)
    .join('\n');
}
