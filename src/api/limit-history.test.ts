import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { type LimitHistory, limitHistory, type LimitShape } from '../contract/limits.ts';
import type { Entry } from '../domain/usage/call.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';

const LIMITS = '/api/manage/limits';
const USD = 1e9;

let it: TestLedger;
let keyId: string;
beforeAll(async () => {
  it = await openTestLedger();
  keyId = (await it.createKey('batch')).id;
  await it.ship([
    spend(NOW - DAY_MS, 4),
    spend(NOW - 3 * HOUR_MS, 1),
    spend(NOW - HOUR_MS, 2),
    // A lost response: its cost is unknown, and the limit counts the most that it can be.
    spend(NOW - HOUR_MS, 0.5, { cost: null, uncertainReason: 'reset', outcome: 'broken', usage: null }),
    spend(NOW - HOUR_MS, 8, { keyId: 'key_other', model: 'gpt-5', provider: 'openai' }),
  ]);
});
afterAll(() => it.close());

function spend(startedAt: number, usd: number, changes: Partial<Entry> = {}): Entry {
  const counted = { usd: usd * USD, inputTokens: 10, outputTokens: 5 };
  return it.entry({ startedAt, keyId, cost: usd * USD, counted, ...changes });
}

async function history(limit: object, query = ''): Promise<LimitHistory> {
  const { id } = await it.json<LimitShape>(LIMITS, { method: 'POST', body: { unit: 'usd', amount: 50, ...limit } });
  const answer = await it.json<LimitHistory>(`${LIMITS}/${id}/history${query}`);
  expect(limitHistory.parse(answer)).toEqual(answer);
  return answer;
}

test('a day has an hour for each column, and counts what the limit counts: uncertain calls with their maximum', async () => {
  const { period, step, starts, counted } = await history({ window: 'day', scope: { kind: 'key', keyId } });
  const day = NOW - (NOW % DAY_MS);
  expect(period).toEqual({ start: new Date(day).toISOString(), end: new Date(day + DAY_MS).toISOString() });
  expect([step, starts.length]).toEqual(['hour', 24]);
  expect(counted).toHaveLength(Math.floor((NOW - day) / HOUR_MS) + 1);
  expect(counted.slice(-4)).toEqual([1, 0, 2.5, 0]);
});

test('an earlier window is shown by an instant in it, whole', async () => {
  const at = new Date(NOW - DAY_MS).toISOString();
  const { counted } = await history({ window: 'day', scope: { kind: 'provider', provider: 'anthropic' } }, `?at=${at}`);
  expect(counted).toHaveLength(24);
  expect(counted.reduce((sum, one) => sum + one, 0)).toBe(4);
});

test('a limit on models counts the models of its pattern only', async () => {
  const { counted } = await history({ window: 'week', scope: { kind: 'model', pattern: 'gpt-*' } });
  expect(counted.reduce((sum, one) => sum + one, 0)).toBe(8);
});

test('a limit that never resets shows its last thirty days', async () => {
  const { period, counted } = await history({ window: 'total', unit: 'calls' });
  expect(period).toEqual({ start: new Date(NOW - 30 * DAY_MS).toISOString(), end: null });
  expect(counted.reduce((sum, one) => sum + one, 0)).toBe(5);
});

test('a limit on each session has no history of its own, and says where to read one', async () => {
  const body = { unit: 'usd', amount: 1, scope: { kind: 'each', of: 'session' } };
  const { id } = await it.json<LimitShape>(LIMITS, { method: 'POST', body });
  const answer = await it.ask(`${LIMITS}/${id}/history`);
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain('/api/mcp/usage/series with session=');
});
