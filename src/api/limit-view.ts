import { formatUncertain, shownAmount } from '../domain/limits/limit-fields.ts';
import { amountAt, countsEachValue, type Limit, type CounterStatus } from '../domain/limits/limit.ts';
import { toIso } from '../domain/time/period.ts';
import { readIdTime } from '../lib/crypto/id.ts';
import { projectWindow } from '../domain/limits/forecast-spend.ts';
import { windowAt } from '../domain/time/window.ts';
import type { LimitShape, LimitStanding, ValueStanding } from '../contract/limits.ts';
import { withEtag } from './http/if-match.ts';
import { isoOrNull } from '../contract/fields.ts';

export function limitView({ unit, amount, raise, uncertain, scope, thresholds, ...limit }: Limit): LimitShape {
  return withEtag({
    id: limit.id,
    scope,
    unit,
    amount: shownAmount(unit, amount),
    raise: raise && { amount: shownAmount(unit, raise.amount), until: toIso(raise.until) },
    window: limit.window,
    action: limit.action,
    thresholds: [...thresholds],
    uncertainRule: formatUncertain(uncertain),
    label: limit.label,
    countsObserved: limit.countsObserved,
  });
}

/**
 * Describes limits and their counters. A limit that counts each tag value apart shows its `valuesMax` fullest values.
 */
export function standingViews(
  limits: readonly Limit[],
  standings: readonly CounterStatus[],
  now: number,
  valuesMax: number,
): LimitStanding[] {
  const byLimit = Map.groupBy(standings, ({ limit }) => limit.id);
  return limits.map((limit) => {
    const fullestFirst = (byLimit.get(limit.id) ?? []).toSorted((a, b) => fullness(b) - fullness(a));
    const { value: _, ...figures } = standingView(fullestFirst[0] ?? untouchedStanding(limit, now), now);
    const view = { ...limitView(limit), createdAt: toIso(readIdTime(limit.id)) };
    if (!countsEachValue(limit.scope)) return { ...view, ...figures };
    const values = fullestFirst.slice(0, valuesMax).map((standing) => standingView(standing, now));
    return { ...view, ...figures, values, hasMoreValues: fullestFirst.length > values.length };
  });
}

function fullness({ counted, held }: CounterStatus): number {
  return Number(counted) + Number(held);
}

function standingView(standing: CounterStatus, now: number): ValueStanding {
  const { unit } = standing.limit;
  const expected = projectWindow(standing, now);
  return {
    value: standing.value,
    effectiveAmount: shownAmount(unit, standing.amount),
    counted: shownAmount(unit, standing.counted),
    held: shownAmount(unit, standing.held),
    ...(standing.heldAsOf !== undefined && { heldAsOf: toIso(standing.heldAsOf) }),
    remaining: shownAmount(unit, standing.left),
    uncertain: shownAmount(unit, standing.uncertain),
    ...(standing.observed !== undefined && { observed: shownAmount(unit, standing.observed) }),
    resetsAt: isoOrNull(standing.windowEnd),
    projected: expected === null ? null : shownAmount(unit, expected),
    ...(standing.isPartial && { isPartial: true }),
  };
}

/** Returns the counter of a limit that no call has touched in its window. */
function untouchedStanding(limit: Limit, now: number): CounterStatus {
  const { start, end } = windowAt(limit.window, now, limit.zones);
  const amount = amountAt(limit, now);
  return {
    limit,
    value: '',
    windowStart: start,
    windowEnd: Number.isFinite(end) ? end : null,
    amount,
    counted: 0,
    uncertain: 0,
    held: 0,
    left: amount,
  };
}
