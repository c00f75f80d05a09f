import { describeLimit } from '../../domain/text/limit.ts';
import type { GateKey } from '../../domain/identity/wrapped-key.ts';
import type { Standing } from '../../domain/limits/limit.ts';
import { shownAmount } from '../../domain/limits/limit-fields.ts';
import { iso } from '../../domain/time/period.ts';

/** The limits that calls of a key meet, as JSON. Amounts are dollars or counts. */
export function renderOwnLimits(standings: readonly Standing[], { name }: Pick<GateKey, 'name'>): string {
  return JSON.stringify({ key: name, limits: standings.map((standing) => toOwnLimit(standing, name)) });
}

function toOwnLimit({ limit, value, windowEnd, ...standing }: Standing, keyName: string) {
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
    left: shown(standing.left),
    resetsAt: windowEnd === null ? null : iso(windowEnd),
  };
}
