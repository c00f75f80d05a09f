import { expect, test } from 'vitest';
import { entryOf } from '../../test/support/arbitrary-entry.ts';
import { createLog } from '../lib/log.ts';
import { withSessionComputing } from './append-entries.ts';

const pricingOf = () => ({ pricedAs: () => null, resolve: () => null });

function shipping(computeMarked: () => Promise<number>) {
  const logged: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } });
  const appended = { inserted: 1, overflowed: [], moves: [], observed: 0 };
  const entries = { mark: async () => 7, append: async () => appended };
  const sessions = { computeMarked, markForComputing: async () => undefined, pruneUse: async () => 0 };
  const observed = { joinMarked: async () => 0 };
  const parts = { sessions, observed, pricingOf, clock: () => 0, log };
  return { ...withSessionComputing(entries, parts), appended, logged };
}

function batch(sessionHash: string | null) {
  return { journalId: 'journal', mark: 1, entries: [entryOf('a', { sessionHash })] };
}

test('sessions are computed until none is left, after a batch with calls of some', async () => {
  const left = [50, 50, 3];
  const { append, appended } = shipping(async () => left.shift() ?? 0);
  expect(await append(batch(null))).toBe(appended);
  expect(left).toHaveLength(3);
  expect(await append(batch('hash'))).toBe(appended);
  expect(left).toEqual([]);
});

test('a failed computation is logged and blocks no call from being recorded', async () => {
  const { append, appended, logged } = shipping(() => Promise.reject(new Error('disk full')));
  expect(await append(batch('hash'))).toBe(appended);
  expect(logged.join('')).toContain('could not compute the usage of sessions');
});
