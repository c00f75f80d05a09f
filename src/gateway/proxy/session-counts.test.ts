import { expect, test } from 'vitest';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { OPEN_POLICY } from '../../domain/policy/policy.ts';
import { HOUR_MS } from '../../domain/time/units.ts';
import { SessionCounts } from './session-counts.ts';

function keyWith(maxSessionsPerHour: number | null, id = 'key_a'): GatewayKey {
  return { id, name: id, policy: { ...OPEN_POLICY, maxSessionsPerHour } } as GatewayKey;
}

test('a key can name as many sessions in an hour as its policy allows, and more in the next', () => {
  const counts = new SessionCounts();
  for (const session of ['a', 'b', 'a', null]) counts.check(keyWith(2), session, HOUR_MS);
  expect(() => counts.check(keyWith(2), 'c', HOUR_MS + 1)).toThrow(/named 2 sessions in this hour/);
  counts.check(keyWith(2), 'b', HOUR_MS + 1);
  counts.check(keyWith(2, 'key_b'), 'c', HOUR_MS + 1);
  counts.check(keyWith(null), 'c', HOUR_MS + 1);
  counts.check(keyWith(2), 'c', 2 * HOUR_MS);
});
