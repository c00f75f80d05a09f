import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Limited, type TestKey } from './limited.ts';
import { limitedKey, SOCKET_MODEL, SocketClient } from './socket-client.ts';

// Responses over WebSocket: each message `response.create` is a call like any other.

const NANO_PER_USD = 1e9;

let limited: Limited;
beforeAll(async () => {
  limited = await Limited.start();
});
afterAll(() => limited?.close());

test("OpenAI's library gets several responses on one socket, each recorded at the cost on the bill", async () => {
  const key = await limitedKey(limited, 1);
  const before = limited.double.bill.total();
  const client = new OpenAI({ apiKey: key.key, baseURL: `${limited.service.baseUrl}/api/proxy/openai/v1` });
  const socket = new ResponsesWS(client);
  const types: string[] = [];
  socket.on('event', ({ type }) => types.push(type));
  for (const tokens of [
    { input: 100, output: 7 },
    { input: 300, output: 9, cacheRead: 50 },
  ]) {
    limited.double.plan({ tokens });
    const ended = new Promise((resolve) => socket.once('response.completed', resolve));
    socket.send({ type: 'response.create', model: SOCKET_MODEL, input: 'Hi', max_output_tokens: 100 });
    await ended;
  }
  socket.close();
  expect(types.filter((type) => type === 'response.created')).toHaveLength(2);
  const standing = await limited.settled(key.limit);
  expect(standing).toMatchObject({ held: 0 });
  expect(standing.counted * NANO_PER_USD).toBeCloseTo(Number(limited.double.bill.total() - before), 3);
  for (const { rawHeaders, body } of limited.double.requests.slice(-2))
    expect(`${rawHeaders.join()} ${body.toString()}`).not.toMatch(/svc_sk_|x-svc-/i);
});

test('a refusal is an error message, and the socket stays usable', async () => {
  const key = await limitedKey(limited, 2, 'calls');
  const client = await SocketClient.open(limited, key.key);
  for (let call = 0; call < 3; call++) client.create({});
  const [, , refused] = await client.ends(3);
  expect(refused).toMatchObject({ type: 'error', status: 402, error: { code: 'insufficient_quota' } });
  client.socket.send('{"type":"response.steer","previous_response_id":"resp_1","input":"more"}');
  client.socket.send('not JSON');
  client.socket.send(Buffer.from('{"type":"response.create"}'), { binary: true });
  client.create({}, { background: true });
  client.create({}, { stream_id: 'a b' });
  const errors = (await client.ends(8)).slice(3).map(({ status, error }) => `${status} ${error?.message}`);
  expect(errors.join('\n')).toMatch(/steer[^]*JSON object[^]*JSON object[^]*background[^]*stream_id/);
  await limited.manage('PATCH', `/limits/${key.limit}`, { amount: 3 });
  client.create({});
  expect((await client.ends(9)).at(-1)).toMatchObject({ type: 'response.completed' });
  client.socket.close();
  expect(await limited.settled(key.limit)).toMatchObject({ counted: 3, held: 0 });
});

test('streams run concurrently, and each in order', async () => {
  const key = await limitedKey(limited, 20, 'calls');
  const client = await SocketClient.open(limited, key.key);
  limited.double.barrier.shut();
  const before = limited.double.requests.length;
  for (const id of ['a', 'b', 'a']) client.create({}, { stream_id: id });
  await limited.double.barrier.waiting(2);
  expect(limited.double.requests.length - before).toBe(2);
  limited.double.barrier.open();
  const ends = await client.ends(3);
  expect(ends.map((end) => end.stream_id)).toEqual(expect.arrayContaining(['a', 'a', 'b']));
  client.socket.close();
  expect(await limited.settled(key.limit)).toMatchObject({ counted: 3, held: 0 });
});

test("the provider's refusals, errors and lost sockets are recorded like those of other calls", async () => {
  const key = await limitedKey(limited, 5);
  const before = limited.double.bill.total();
  const client = await SocketClient.open(limited, key.key);
  client.create({ status: 400, message: 'No such response.' });
  expect((await client.ends(1))[0]).toMatchObject({ status: 400, error: { message: 'No such response.' } });

  expect((await limited.settled(key.limit)).counted).toBe(0);
  client.create({ errorAfter: 3 });
  await client.ends(2);
  const closed = once(client.socket, 'close');
  client.create({ endAfter: 3 });
  expect((await client.ends(3))[2]).toMatchObject({
    status: 502,
    error: { message: expect.stringContaining('broke off') },
  });
  await closed;
  const standing = await limited.settled(key.limit);
  const billed = Number(limited.double.bill.total() - before) / NANO_PER_USD;
  expect(standing.held).toBe(0);
  expect(billed).toBeLessThanOrEqual(standing.counted);
});

test('the refusal of the socket itself reaches the client as it came', async () => {
  const bad = { name: 'bad', provider: 'openai', providerKey: 'invalid-key-1', force: true };
  const key = await limited.manage<TestKey>('POST', '/keys', bad);
  const client = new SocketClient(limited, key.key);
  const [, answer] = (await once(client.socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  expect(answer.statusCode).toBe(401);
  const stranger = new SocketClient(limited, 'svc_sk_unknown');
  const [, refused] = (await once(stranger.socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  expect(refused.statusCode).toBe(401);
  const url = `${limited.service.baseUrl}/api/proxy/openai/v1/responses`;
  const plain = await fetch(url, { headers: { authorization: `Bearer ${limited.keys.openai?.key}` } });
  expect(plain.status).toBe(405);
  expect(await plain.text()).toContain('WebSocket');
});

test('calls whose client leaves are read to their usage', async () => {
  const key = await limitedKey(limited, 1);
  const before = limited.double.bill.total();
  const client = await SocketClient.open(limited, key.key);
  limited.double.barrier.shut();
  client.create({ tokens: { input: 20, output: 30 } });
  client.create({}, { stream_id: 'other' });
  await limited.double.barrier.waiting(2);
  client.socket.terminate();
  limited.double.barrier.open();
  const standing = await limited.settled(key.limit);
  expect(standing.counted * NANO_PER_USD).toBeCloseTo(Number(limited.double.bill.total() - before), 3);
});
