import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import type { CounterStatus } from '../../domain/limits/limit.ts';
import { shownAmount } from '../../domain/limits/limit-fields.ts';
import { toIso } from '../../domain/time/period.ts';
import { describeLimit } from '../../domain/text/limits.ts';

/** Renders the limits that apply to calls of a key, as JSON. Amounts are dollars or counts. */
export function renderOwnLimits(standings: readonly CounterStatus[], { name }: Pick<GatewayKey, 'name'>): string {
  return JSON.stringify({ key: name, limits: standings.map((standing) => toOwnLimit(standing, name)) });
}

function toOwnLimit({ limit, value, windowEnd, ...standing }: CounterStatus, keyName: string) {
  const shown = (amount: number | bigint): number => shownAmount(limit.unit, amount);
  return {
    id: limit.id,
    label: limit.label,
    description: describeLimit(limit, () => `"${keyName}"`),
    unit: limit.unit,
    window: limit.window,
    action: limit.action,
    ...(value !== '' && { value }),
    amount: shown(standing.amount),
    counted: shown(standing.counted),
    uncertain: shown(standing.uncertain),
    held: shown(standing.held),
    remaining: shown(standing.left),
    resetsAt: windowEnd === null ? null : toIso(windowEnd),
  };
}
