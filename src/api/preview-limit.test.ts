import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entryOf } from '../../test/support/arbitrary-entry.ts';
import { refusedCall } from '../../test/support/refused-call.ts';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { type LimitPreview, limitPreview } from '../contract/limits.ts';
import type { CallAmounts, Entry } from '../domain/usage/call.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';

const PREVIEW = '/api/manage/limits/preview';

let it: TestLedger;
let keyId: string;

beforeAll(async () => {
  it = await openTestLedger();
  keyId = (await it.createKey('batch')).id;
});
afterAll(() => it.close());

async function preview(body: unknown): Promise<LimitPreview> {
  const answer = await it.json<LimitPreview>(PREVIEW, { method: 'POST', body });
  expect(limitPreview.parse(answer)).toEqual(answer);
  return answer;
}

const dollars = (usd: number): number => usd * 1e9;

/** A call of Claude Opus that held so many dollars and cost a tenth. */
function createCall(id: string, startedAt: number, usd: number, changes: Partial<Entry> = {}): Entry {
  const amounts = (part: number): CallAmounts => ({
    usd: dollars(usd * part),
    inputTokens: 1_000,
    outputTokens: usd < 1 ? 4_000 : 32_000,
  });
  const ended = { startedAt, endedAt: startedAt + 1_000, hold: amounts(1), counted: amounts(0.1) };
  return entryOf(id, { keyId, provider: 'anthropic', requestedModel: 'claude-opus-4-5', ...ended, ...changes });
}

describe('the preview of a limit', () => {
  test('of an unknown key is an error, not an empty history', async () => {
    const scope = { kind: 'each', of: 'session', keyId: 'key_none' };
    const body = { scope, unit: 'usd', amount: 1 };
    expect((await it.ask(PREVIEW, { method: 'POST', body })).status).toBe(404);
  });

  test('says if no call was recorded', async () => {
    expect(await preview({ unit: 'usd', amount: 5, window: 'day' })).toMatchObject({
      amount: 5,
      window: 'day',
      action: 'block',
      history: { calls: 0, isComplete: true },
      holds: null,
      fitAtOnce: null,
      effect: null,
    });
  });

  test('says what calls of the key need and what it would have done to them', async () => {
    const day = NOW - DAY_MS;
    const calls = [
      ...[1, 2, 3, 4].map((hour) => createCall(`small${hour}`, day + hour * HOUR_MS, 0.2)),
      createCall('large', day + 5 * HOUR_MS, 2),
      createCall('other key', day, 100, { keyId: 'key_other' }),
      createCall('old', NOW - 8 * DAY_MS, 50),
    ];
    await it.ship(calls);
    const scope = { kind: 'key', keyId };
    expect(await preview({ scope, unit: 'usd', amount: 1, window: 'total' })).toMatchObject({
      scope,
      history: { calls: 5, unpricedCalls: 0 },
      holds: { median: 0.2, p95: 2, max: 2 },
      fitAtOnce: { median: 5, p95: 0, max: 0 },
      // The call of last week has used it all.
      effect: { refused: 5, shortened: 0, waited: 0 },
    });
    expect(await preview({ scope, unit: 'usd', amount: 2, window: 'hour' })).toMatchObject({
      effect: { refused: 0, shortened: 0, waited: 0 },
    });
    // Of $2.00, $0.70 are the price of the output above 4,096 tokens.
    expect(await preview({ scope, unit: 'usd', amount: 1.5, window: 'hour' })).toMatchObject({
      effect: { refused: 0, shortened: 1, waited: 0 },
    });
    expect(await preview({ scope, unit: 'usd', amount: 1.2, window: 'hour' })).toMatchObject({
      effect: { refused: 1, shortened: 0, waited: 0 },
    });
  });

  test('does not shorten calls of a key whose policy refuses instead', async () => {
    await it.json(`/api/manage/policies/${keyId}`, { method: 'PUT', body: { whenOverLimit: 'refuse' } });
    const scope = { kind: 'key', keyId };
    expect(await preview({ scope, unit: 'usd', amount: 1.5, window: 'hour' })).toMatchObject({
      effect: { refused: 1, shortened: 0 },
    });
  });

  test('counts calls without a price separately, and refuses them', async () => {
    const hold = { usd: null, inputTokens: 9, outputTokens: 9 };
    await it.ship([createCall('unpriced', NOW - HOUR_MS, 1, { provider: 'mistral', hold })]);
    const body = { scope: { kind: 'provider', provider: 'mistral' }, unit: 'usd', amount: 5, window: 'day' };
    expect(await preview(body)).toMatchObject({
      history: { calls: 1, unpricedCalls: 1 },
      holds: null,
      effect: { refused: 1 },
    });
    expect(await preview({ ...body, unit: 'tokens' })).toMatchObject({
      history: { unpricedCalls: 0 },
      holds: { max: 18 },
      fitAtOnce: { max: 0 },
    });
  });

  test('says which calls limits refused and what they needed, apart from the figures', async () => {
    const at = NOW - 2 * HOUR_MS;
    const details = { at, keyId, provider: 'anthropic', needed: dollars(2) };
    await it.refuse([
      refusedCall('call_1', details),
      refusedCall('call_2', { ...details, needed: dollars(3), model: 'claude-haiku-4-5', tags: { team: 'search' } }),
      refusedCall('call_3', { ...details, isSum: true, calls: 7, model: null, needed: null, left: null }),
      refusedCall('call_4', { ...details, at: NOW - 8 * DAY_MS }),
      refusedCall('call_5', { ...details, keyId: 'key_other' }),
    ]);
    const ask = async (scope: unknown, unit = 'usd') =>
      (await preview({ scope, unit, amount: 5, window: 'day' })).refusedCalls;
    const key = { kind: 'key', keyId };
    expect(await ask(key)).toEqual({ calls: 9, isComplete: true, needed: { median: 2, p95: 3, max: 3 } });
    expect(await ask(key, 'tokens')).toEqual({ calls: 9, isComplete: true, needed: null });
    const one = { calls: 1, isComplete: false, needed: { median: 3, p95: 3, max: 3 } };
    expect(await ask({ kind: 'model', pattern: 'claude-haiku-*' })).toEqual(one);
    expect(await ask({ kind: 'tag', key: 'team', value: 'search' })).toEqual(one);
    expect(await ask({ kind: 'provider', provider: 'anthropic' })).toMatchObject({ calls: 10 });
    expect(await ask({ kind: 'provider', provider: 'mistral' })).toBeNull();
    expect(await ask({ kind: 'each', of: 'session', keyId: null })).toMatchObject({ calls: 10 });
  });

  test('refuses an invalid limit, and changes nothing', async () => {
    const before = await it.json('/api/manage/limits');
    const answer = await it.ask(PREVIEW, { method: 'POST', body: { unit: 'usd', amount: -1, window: 'day' } });
    expect(answer.status).toBe(400);
    await preview({ unit: 'calls', amount: 1, window: 'day' });
    expect(await it.json('/api/manage/limits')).toEqual(before);
  });
});
