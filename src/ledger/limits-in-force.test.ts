import { expect, test } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { OwnLimitChanges } from './limits-in-force.ts';

test('requests that change no limit wait for no other node', async () => {
  let waits = 0;
  let isInForce = false;
  const changes = new OwnLimitChanges(async () => {
    waits += 1;
    return isInForce;
  }, silentLog);
  expect([await changes.areInForce(), waits]).toEqual([true, 0]);
  changes.made();
  expect([await changes.areInForce(), waits]).toEqual([false, 1]);
  isInForce = true;
  expect([await changes.areInForce(), waits]).toEqual([true, 2]);
  expect([await changes.areInForce(), waits]).toEqual([true, 2]);
});

test('a change that is made while others are waited for is waited for, too', async () => {
  const waits: (() => void)[] = [];
  const changes = new OwnLimitChanges(() => new Promise((resolve) => waits.push(() => resolve(true))), silentLog);
  changes.made();
  const first = changes.areInForce();
  changes.made();
  waits[0]?.();
  await first;
  const second = changes.areInForce();
  expect(waits).toHaveLength(2);
  waits[1]?.();
  expect(await second).toBe(true);
});
