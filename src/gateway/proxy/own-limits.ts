import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import type { CounterStatus } from '../../domain/limits/limit.ts';
import { shownAmount } from '../../domain/limits/limit-fields.ts';
import { describeLeft } from '../../domain/text/limit-left.ts';
import { toIso } from '../../domain/time/period.ts';
import { describeLimit } from '../../domain/text/limits.ts';

/** A counter of a limit. Its figures are unknown while it is not in memory. */
interface OwnCounter {
  readonly isLoaded: boolean;
  sharedStanding(now: number): CounterStatus;
}

/**
 * Renders the limits that apply to calls of a key, as JSON. Amounts are dollars or counts; null = read from the ledger
 * with the next call.
 */
export function renderOwnLimits(
  counters: readonly OwnCounter[],
  { name }: Pick<GatewayKey, 'name'>,
  now: number,
): string {
  const limits = counters.map((counter) => toOwnLimit(counter.sharedStanding(now), counter.isLoaded, name, now));
  return JSON.stringify({ key: name, limits });
}

function toOwnLimit(
  { limit, value, windowEnd, ...standing }: CounterStatus,
  isLoaded: boolean,
  keyName: string,
  now: number,
) {
  const isKnown = isLoaded && !standing.isPartial;
  const shown = (amount: number | bigint): number => shownAmount(limit.unit, amount);
  const shownIfKnown = (amount: number | bigint): number | null => (isKnown ? shown(amount) : null);
  const description = describeLimit({ ...limit, amount: standing.amount }, () => `"${keyName}"`);
  const figures = {
    unit: limit.unit,
    action: limit.action,
    amount: shown(standing.amount),
    held: shownIfKnown(standing.held),
    remaining: shownIfKnown(standing.left),
    resetsAt: windowEnd === null ? null : toIso(windowEnd),
  };
  return {
    id: limit.id,
    label: limit.label,
    description,
    window: limit.window,
    ...(value !== '' && { value }),
    ...figures,
    counted: shownIfKnown(standing.counted),
    uncertain: shownIfKnown(standing.uncertain),
    summary: describeLeft({ ...figures, description }, now),
  };
}
