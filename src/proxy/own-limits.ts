import { describeLimit } from '../core/describe-limit.ts';
import type { GateKey } from '../core/gate-key.ts';
import type { Limit, Standing } from '../core/limit.ts';
import { shownAmount } from '../core/limit-fields.ts';
import { iso } from '../core/period.ts';

/**
 * The limits that calls of a key meet, as JSON. What other keys and other values of a tag have used is not shown, but
 * for what all calls share. Amounts are dollars or counts.
 */
export function ownLimits(standings: readonly Standing[], key: GateKey): string {
  const limits = standings.filter(({ limit, value }) => concerns(limit, value, key)).map((each) => viewOf(each, key));
  return JSON.stringify({ key: key.name, limits });
}

function concerns({ scope }: Limit, value: string, key: GateKey): boolean {
  switch (scope.kind) {
    case 'workspace':
    case 'model':
      return true;
    case 'key':
      return scope.keyId === key.id;
    case 'provider':
      return scope.provider === key.provider;
    case 'tag':
      return key.tags[scope.key] === scope.value;
    case 'each_tag':
      return key.tags[scope.key] === value;
  }
}

function viewOf({ limit, value, windowEnd, ...standing }: Standing, { name }: GateKey) {
  const shown = (amount: number | bigint): number => shownAmount(limit.unit, amount);
  return {
    id: limit.id,
    label: limit.label,
    description: describeLimit(limit, () => `"${name}"`),
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
