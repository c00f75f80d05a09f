import { amountIn } from '../domain/limits/counting.ts';
import { amountAt, type Limit } from '../domain/limits/limit.ts';
import type { Hold } from './hold.ts';

/** Percent of a shared limit that a key's abandoned calls may count for without a known usage. */
const ABANDONED_PERCENT_MAX = 5;

/**
 * Decides whether a call that its client abandoned may be broken off. Then its usage stays unknown and it counts its
 * whole hold, which is noted for its key. False: a shared limit would count too much of this key in that way, so the
 * answer must be read to its end.
 */
export function mayBreakOff({ counters, need, subject: { keyId } }: Hold, now: number): boolean {
  const shared = counters.filter(({ limit, period }) => isStarvable(limit) && now < period.end);
  for (const counter of shared) {
    const sum = counter.abandoned(keyId) + amountIn(counter.limit.unit, need);
    if (sum * 100 > amountAt(counter.limit, now) * ABANDONED_PERCENT_MAX) return false;
  }
  for (const counter of shared) counter.addAbandoned(keyId, amountIn(counter.limit.unit, need));
  return true;
}

/** True if one key can use up the limit for others with calls of unknown usage. */
function isStarvable({ action, scope, unit }: Limit): boolean {
  return action === 'block' && scope.kind !== 'key' && unit !== 'calls' && unit !== 'concurrency';
}
