import { z } from 'zod';
import { usdFromNano } from '../domain/money/money.ts';
import type { LocalTotals } from '../sessions/reports/model-use.ts';
import { countNoun, formatCount } from '../domain/text/counts.ts';
import { formatDollars } from '../domain/text/money.ts';

/** Sums as local tools show them; token classes never overlap. */
export const totalsShape = z.object({
  calls: z.int(),
  inputTokens: z.int().meta({ description: 'Uncached' }),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheCreationTokens: z.int(),
  cost: z.number().nullable().meta({ description: 'US dollars at list prices; null if nothing has a price' }),
  unpricedCalls: z.int().meta({ description: 'Calls whose model has no price: not in the cost' }),
});
export type TotalsData = z.output<typeof totalsShape>;

export const warningsShape = z.array(z.string()).meta({ description: 'Notes on uncertain figures' });

export function totalsData(totals: LocalTotals): TotalsData {
  const { calls, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, cost, unpricedCalls } = totals;
  const dollars = cost === null ? null : usdFromNano(cost);
  return { calls, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, cost: dollars, unpricedCalls };
}

export const TOTALS_COLUMNS = ['>Cost', '>Calls', '>Input', '>Output', '>Cache read', '>Cache write'];

interface CostData extends Pick<TotalsData, 'cost'> {
  readonly unpricedCalls?: number | undefined;
  readonly unpricedUsage?: boolean | undefined;
}

/** Formats a cost; with unpriced usage, as a minimum. */
export function costText({ cost, unpricedCalls = 0, unpricedUsage = false }: CostData): string {
  return (unpricedCalls > 0 || unpricedUsage) && cost !== null ? `≥ ${formatDollars(cost)}` : formatDollars(cost);
}

export function totalsCells(totals: TotalsData): string[] {
  const { calls, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = totals;
  return [
    costText(totals),
    ...[calls, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens].map(formatCount),
  ];
}

/** Notes below a local report; '' = there are none. */
export function localNotes({ unpricedCalls }: Pick<TotalsData, 'unpricedCalls'>, warnings: readonly string[]): string {
  const unpriced =
    unpricedCalls > 0
      ? [`${countNoun(unpricedCalls, 'call')} without a price: their cost is unknown and not included.`]
      : [];
  return [...unpriced, ...warnings].map((note) => `- ${note}`).join('\n');
}
