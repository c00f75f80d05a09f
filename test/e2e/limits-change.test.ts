import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LimitShape } from '../../src/contract/limits.ts';
import { type Ask, Limited, type Reply } from './limited.ts';

// Limits that come, change and go while the provider holds back the answers of calls, and after calls that have ended.

let dataDir: string;
let limited: Limited;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-limits-'));
  limited = await Limited.start({ dataDir });
});
afterAll(async () => {
  await limited?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const ASK: Ask = { provider: 'anthropic', model: 'claude-haiku-4-5', maxTokens: 1_000 };
/** Of 20 output and 10 input tokens, as the double answers. */
const COST = 0.000_11;
/** 1,000 output tokens at most, and the prompt: its bytes and what may stand around it. */
const NEED_LEAST = 0.005_2;
const NEED_MOST = 0.005_7;

/** A call that the double answers when `end` is asked for. */
interface Under {
  end(): Promise<Reply>;
}

async function callUnderWay(ask: Ask): Promise<Under> {
  const reply = limited.call({ ...ask, plan: { hold: 'headers' } });
  // It may break off before anybody asks.
  reply.catch(() => {});
  const held = await limited.double.held();
  return {
    end() {
      held.release();
      return reply;
    },
  };
}

let rounds = 0;
/** Calls with a tag of their own, and the scope that counts them. */
function newRound(): { ask: Ask; scope: object } {
  const round = String((rounds += 1));
  return { ask: { ...ASK, tags: { round } }, scope: { kind: 'tag', key: 'round', value: round } };
}

async function change(id: string, fields: object): Promise<void> {
  await limited.manage<LimitShape>('PATCH', `/limits/${id}`, fields);
}

test('any change of a limit applies when the response arrives', async () => {
  const [, key] = [await limited.createKey('anthropic'), await limited.createKey('anthropic')];
  const scope = { kind: 'key', keyId: key.id };
  const ask = { ...ASK, key: key.key };
  for (let time = 0; time < 20; time += 1) {
    const { id } = await limited.limit({ scope, unit: 'usd', amount: 0.000_001, window: 'day' });
    expect((await limited.call(ask)).status).toBe(402);
    await limited.manage('PATCH', `/limits/${id}`, { amount: 100 });
    expect((await limited.call(ask)).status).toBe(200);
    await limited.manage('PATCH', `/limits/${id}`, { amount: 0.000_001 });
    expect((await limited.call(ask)).status).toBe(402);
    await limited.manage('DELETE', `/limits/${id}`);
    expect((await limited.call(ask)).status).toBe(200);
  }
  await limited.manage('DELETE', `/keys/${key.id}`);
  expect((await limited.call(ask)).status).toBe(401);
});

test('a new limit includes the usage of its window', async () => {
  const { ask, scope } = newRound();
  for (let made = 0; made < 3; made++) await limited.call(ask);
  const usd = await limited.limit({ scope, unit: 'usd', amount: 1, window: 'month' });
  await limited.counts(usd.id, (counted) => counted > 0);
  expect(await limited.settled(usd.id)).toMatchObject({ counted: 3 * COST, held: 0, uncertain: 0 });
  const calls = await limited.limit({ scope, unit: 'calls', amount: 3, window: 'day' });
  await limited.counts(calls.id, (counted) => counted === 3);
  expect((await limited.call(ask)).status).toBe(402);
});

test('a new limit includes running calls, and may begin above its amount', async () => {
  const { ask, scope } = newRound();
  const under = await callUnderWay(ask);
  const { id } = await limited.limit({ scope, unit: 'usd', amount: 0.001, window: 'total' });
  const { held, remaining } = await limited.standing(id);
  expect(held).toBeGreaterThan(NEED_LEAST);
  expect(held).toBeLessThan(NEED_MOST);
  expect(remaining).toBe(0);
  expect((await limited.call(ask)).status).toBe(402);
  expect((await under.end()).status).toBe(200);
  expect(await limited.settled(id)).toMatchObject({ counted: COST, held: 0 });
});

test('a limit restored after kill -9 right after its creation has the usage of its window', async () => {
  const { ask, scope } = newRound();
  await limited.call(ask);
  const under = await callUnderWay(ask);
  const { id } = await limited.manage<LimitShape>('POST', '/limits', {
    scope,
    unit: 'calls',
    amount: 2,
    window: 'day',
  });
  await limited.killAndStart();
  await expect(under.end()).rejects.toThrow(Error);
  // One has ended, and one was under way.
  await limited.counts(id, (counted) => counted === 2);
  expect(await limited.settled(id)).toMatchObject({ counted: 2, held: 0 });
  expect((await limited.call(ask)).status).toBe(402);
});

test('a raise admits the next call, until it is ended', async () => {
  const { ask, scope } = newRound();
  const { id } = await limited.limit({ scope, unit: 'calls', amount: 1, window: 'total' });
  await limited.call(ask);
  expect((await limited.call(ask)).status).toBe(402);
  await limited.service.command(['limits', 'raise', id, '--amount', '3', '--for', '1h']);
  expect((await limited.call(ask)).status).toBe(200);
  await limited.service.command(['limits', 'raise', id, '--end']);
  expect((await limited.call(ask)).status).toBe(402);
  expect(await limited.settled(id)).toMatchObject({ counted: 2, effectiveAmount: 1, remaining: 0 });
});

test('a larger amount admits waiting calls while the others still run', async () => {
  const { ask, scope } = newRound();
  const { id } = await limited.limit({ scope, unit: 'usd', amount: 0.01, window: 'total' });
  const under = await callUnderWay(ask);
  const waiting = limited.call(ask);
  await limited.waiting(1);
  await change(id, { amount: 0.02 });
  expect((await waiting).status).toBe(200);
  expect((await limited.standing(id)).held).toBeGreaterThan(NEED_LEAST);
  await under.end();
  expect(await limited.settled(id)).toMatchObject({ counted: 2 * COST, held: 0 });
});

test('an amount below what is held and counted cancels no call and admits none', async () => {
  const { ask, scope } = newRound();
  const { id } = await limited.limit({ scope, unit: 'usd', amount: 1, window: 'total' });
  await limited.call(ask);
  const under = await callUnderWay(ask);
  await change(id, { amount: COST });
  expect((await limited.call(ask)).status).toBe(402);
  expect((await under.end()).status).toBe(200);
  expect(await limited.settled(id)).toMatchObject({ counted: 2 * COST, held: 0, remaining: 0, effectiveAmount: COST });
  expect((await limited.call(ask)).status).toBe(402);
});

test('a deleted limit admits waiting calls and leaves nothing behind', async () => {
  const { ask, scope } = newRound();
  const { id } = await limited.limit({ scope, unit: 'concurrency', amount: 1 });
  const under = await callUnderWay(ask);
  const waiting = limited.call(ask);
  await limited.waiting(1);
  await limited.manage('DELETE', `/limits/${id}`);
  expect((await waiting).status).toBe(200);
  expect((await under.end()).status).toBe(200);
  const again = await limited.limit({ scope, unit: 'concurrency', amount: 1 });
  expect(await limited.settled(again.id)).toMatchObject({ counted: 0, held: 0 });
});

test('with another scope, a limit counts past and running calls of the new scope only', async () => {
  const [before, after] = [newRound(), newRound()];
  const { id } = await limited.limit({ scope: before.scope, unit: 'calls', amount: 3, window: 'day' });
  await limited.call(before.ask);
  const old = await callUnderWay(before.ask);
  for (let made = 0; made < 2; made++) await limited.call(after.ask);
  const under = await callUnderWay(after.ask);
  await change(id, { scope: after.scope });
  await limited.counts(id, (counted) => counted === 2);
  expect(await limited.standing(id)).toMatchObject({ counted: 2, held: 1, remaining: 0 });
  for (const each of [old, under]) expect((await each.end()).status).toBe(200);
  expect(await limited.settled(id)).toMatchObject({ counted: 3, held: 0 });
  expect((await limited.call(before.ask)).status).toBe(200);
  expect((await limited.call(after.ask)).status).toBe(402);
});

test('the same with another unit and window, and after a restart', async () => {
  const { ask, scope } = newRound();
  const { id } = await limited.limit({ scope, unit: 'calls', amount: 9, window: 'day' });
  await limited.call(ask);
  const under = await callUnderWay(ask);
  await change(id, { unit: 'output_tokens', amount: 2_000, window: 'total' });
  await limited.counts(id, (counted) => counted === 20);
  expect(await limited.standing(id)).toMatchObject({ counted: 20, held: 1_000 });
  await under.end();
  expect(await limited.settled(id)).toMatchObject({ counted: 40, held: 0 });
  await limited.killAndStart();
  expect(await limited.settled(id)).toMatchObject({ counted: 40, held: 0, uncertain: 0, remaining: 1_960 });
});

test('calls that end while limits are created are counted by each limit once', async () => {
  const { ask, scope } = newRound();
  const load = Array.from({ length: 60 }, () => limited.call(ask));
  const made: LimitShape[] = [];
  for (const window of ['minute', 'hour', 'day', 'week', 'month', 'total'])
    made.push(await limited.manage('POST', '/limits', { scope, unit: 'calls', amount: 1_000, window, action: 'warn' }));
  await Promise.all(load);
  for (const { id, window } of made.slice(1)) {
    await limited.counts(id, (counted) => counted >= 60);
    expect([window, (await limited.settled(id)).counted]).toEqual([window, 60]);
  }
});
