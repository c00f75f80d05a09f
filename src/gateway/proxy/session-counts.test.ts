import { expect, test } from 'vitest';
import type { TollbookError } from '../../domain/errors.ts';
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

test('all keys together name a bounded number of sessions in an hour, and none takes the places of others', () => {
  const counts = new SessionCounts(100);
  const tryName = (key: string, session: string, now = HOUR_MS) => {
    try {
      counts.check(keyWith(1_000, key), session, now);
      return null;
    } catch (error) {
      return (error as TollbookError).type;
    }
  };
  const nameMany = (key: string) => Array.from({ length: 100 }, (_, index) => tryName(key, `${key} ${index}`));
  expect(nameMany('key_a').filter((problem) => problem === null)).toHaveLength(50);
  expect(nameMany('key_b').filter((problem) => problem === null)).toHaveLength(25);
  expect(tryName('key_a', 'another')).toBe('unavailable');
  expect(tryName('key_a', 'key_a 0')).toBeNull();
  expect(tryName('key_c', 'another')).toBeNull();
  expect(tryName('key_a', 'another', 2 * HOUR_MS)).toBeNull();
});

test('a long name of a session is counted once, and differs from another that begins like it', () => {
  const counts = new SessionCounts();
  const long = 'x'.repeat(256);
  for (const session of [long, long, `${long}y`]) counts.check(keyWith(2), session, HOUR_MS);
  expect(() => counts.check(keyWith(2), `${long}z`, HOUR_MS)).toThrow(/named 2 sessions/);
});
