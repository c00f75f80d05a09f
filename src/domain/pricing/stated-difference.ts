import type { Alert } from '../alerts/alert.ts';
import { formatDate } from '../text/dates.ts';
import { describeChange } from '../text/percent.ts';
import { toIso } from '../time/period.ts';
import type { UsageTotals } from '../usage/usage-totals.ts';

/** Smallest difference that is a finding; smaller ones may come from rounding and fees. */
const DIFFERENCE_LEAST = 0.02;

/** A provider states other costs for a model than the known prices give. */
export interface StatedDifference {
  readonly provider: string;
  readonly model: string;
  /** Stated cost of the newest day in relation to that by prices: 0.9 = 10 % less. */
  readonly ratio: number;
  /** First UTC day of the difference, epoch ms; it lasted since then. */
  readonly since: number;
}

/** Sums of a UTC day, by its start (epoch ms). */
interface DaySum {
  readonly bucket: number;
  readonly totals: UsageTotals;
}

/** Returns the difference on the newest day, and the first day since when it lasts; null = none. @param days ascending */
export function findDifference(days: readonly DaySum[]): Pick<StatedDifference, 'ratio' | 'since'> | null {
  const known = days.flatMap(({ bucket, totals: { cost, contractedBeyondCost } }) => {
    const priced = Number(cost + contractedBeyondCost);
    return priced > 0 ? [{ bucket, ratio: Number(cost) / priced }] : [];
  });
  const differs = ({ ratio }: { readonly ratio: number }): boolean => Math.abs(ratio - 1) >= DIFFERENCE_LEAST;
  const newest = known.at(-1);
  if (!newest || !differs(newest)) return null;
  const lastEqual = known.findLastIndex((day) => !differs(day));
  return { ratio: newest.ratio, since: known[lastEqual + 1]?.bucket ?? newest.bucket };
}

/** Builds the alert of a difference. Its episode is the model and the first day. */
export function stalePriceAlert(
  workspaceId: string,
  { provider, model, ratio, since }: StatedDifference,
  now: number,
): Alert {
  const change = describeChange(ratio, 1);
  return {
    type: 'STALE_PRICE',
    severity: 'info',
    workspaceId,
    title: `Price list out of date: ${model}`,
    message: `${provider} has charged ${change} the listed price of ${model} since ${formatDate(since, 'UTC')}. The ledger has the charged costs. ${ratio > 1 ? 'Calls are held at that much more.' : 'Holds use the listed price.'}`,
    episode: `stated:${provider}:${model}:${toIso(since).slice(0, 10)}`,
    createdAt: now,
    scope: { provider, model },
    value: ratio,
    threshold: null,
    period: null,
    evidence: { since: toIso(since) },
  };
}
