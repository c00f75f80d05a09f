import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Plan } from './plan.ts';
import { type ProviderDouble, startProviderDouble } from './provider-double.ts';

let double: ProviderDouble;
beforeEach(async () => void (double = await startProviderDouble()));
afterEach(() => double.close());

function call(plan: Plan, body: object = { model: 'claude-sonnet-5', stream: false }) {
  const headers = { 'content-type': 'application/json', 'x-double': JSON.stringify(plan) };
  return request(`${double.urls.anthropic}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('answers with the token counts of the plan and records the request', async () => {
  const { body } = await call({ tokens: { input: 7, output: 9, cacheRead: 3 } });
  expect(await body.json()).toMatchObject({
    model: 'claude-sonnet-5',
    usage: { input_tokens: 7, output_tokens: 9, cache_read_input_tokens: 3 },
  });
  expect(double.requests).toMatchObject([{ provider: 'anthropic', method: 'POST', path: '/v1/messages' }]);
  expect(JSON.parse(double.requests[0]?.body.toString() ?? '')).toEqual({ model: 'claude-sonnet-5', stream: false });
});

test('plans are used in order', async () => {
  double.plan({ status: 429, headers: { 'retry-after': '2' } }, {});
  const post = () =>
    request(`${double.urls.google}/v1/models/gemini-2.5-pro:generateContent`, { method: 'POST', body: '{}' });
  const first = await post();
  expect([first.statusCode, first.headers['retry-after']]).toEqual([429, '2']);
  expect(await first.body.json()).toMatchObject({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } });
  expect((await post()).statusCode).toBe(200);
});

test('breaks the connection before the headers or in the body', async () => {
  await expect(call({ reset: 'before_headers' })).rejects.toThrow(/ECONNRESET|other side closed|terminated/);
  const { body } = await call({ reset: 'in_body', splitBytes: 5 });
  await expect(body.text()).rejects.toThrow(/ECONNRESET|other side closed|terminated/);
});

test('ends the body early, splits it and encodes it', async () => {
  expect(await (await call({ truncateBytes: 20 })).body.text()).toHaveLength(20);
  const gzip = await call({ encoding: 'gzip', splitBytes: 3 });
  expect(JSON.parse(gunzipSync(await gzip.body.bytes()).toString())).toMatchObject({ type: 'message' });
  const zstd = await call({ encoding: 'zstd', padBytes: 1_000_000 });
  expect(zstdDecompressSync(await zstd.body.bytes()).length).toBeGreaterThan(1_000_000);
});

test('puts an error event into a stream', async () => {
  const { body } = await call({ errorAfter: 2 }, { model: 'm', stream: true });
  const text = await body.text();
  expect(text).toContain('event: error\ndata: {"type":"error","error":{"type":"overloaded_error"');
  expect(text).not.toContain('message_stop');
});

test('a paused answer sends one piece per step and notices a disconnected caller', async () => {
  const opened = call({ hold: 'writes' }, { model: 'm', stream: true });
  const held = await double.held();
  const { body } = await opened;
  const pieces = body[Symbol.asyncIterator]();
  held.next();
  expect(String((await pieces.next()).value)).toContain('message_start');
  held.next();
  expect(String((await pieces.next()).value)).toContain('content_block_start');
  body.destroy();
  await held.closed;
  expect(double.requests[0]?.aborted).toBe(true);
});

test('a stream ends where the plan says, without its terminal event', async () => {
  const { body } = await call({ endAfter: 3 }, { model: 'm', stream: true });
  const text = await body.text();
  expect(text).toContain('message_start');
  expect(text).not.toContain('message_stop');
});

test('a closed barrier holds back every answer until it opens', async () => {
  double.barrier.shut();
  const asked = [call({}), call({})];
  await double.barrier.waiting(2);
  expect(double.requests.map(({ over }) => over)).toEqual([false, false]);
  double.barrier.open();
  for (const { statusCode, body } of await Promise.all(asked)) {
    expect(statusCode).toBe(200);
    await body.text();
  }
  await (await call({})).body.text();
});

test('bills responses by provider key, errors at nothing, and records which responses were sent in full', async () => {
  const send = (key: string, plan: Plan) =>
    request(`${double.urls.anthropic}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'x-double': JSON.stringify(plan) },
      body: JSON.stringify({ model: 'claude-haiku-4-5' }),
    });
  await (await send('a', {})).body.text();
  await (await send('b', { tokens: { input: 1_000 } })).body.text();
  await (await send('b', { noUsage: true })).body.text();
  await (await send('b', { status: 500 })).body.text();
  await request(`${double.urls.anthropic}/v1/models`);
  expect(double.bill.rows.map(({ key, nano, delivered }) => [key, nano, delivered])).toEqual([
    ['a', 110_000n, true],
    ['b', 1_100_000n, true],
    ['b', 110_000n, false],
    ['b', 0n, false],
  ]);
  expect(double.bill.total('b')).toBe(1_210_000n);
  expect(double.bill.total()).toBe(1_320_000n);
});
