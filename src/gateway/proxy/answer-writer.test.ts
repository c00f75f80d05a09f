import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { AnswerWriter } from './answer-writer.ts';

const server = createServer().listen(0, '127.0.0.1');
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** A stream that is answered to a client on a real connection. */
async function openStream(onDrained = () => {}) {
  if (!server.listening) await once(server, 'listening');
  const client = request({ port: (server.address() as AddressInfo).port, agent: false }).end();
  const answered = new Promise<IncomingMessage>((resolve) => void client.once('response', resolve));
  const [, res] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const write = vi.spyOn(res, 'write');
  const answer = new AnswerWriter(res, { drained: onDrained, lastHeaders: () => [] });
  answer.open(200, [], null, true);
  return { answer, answered, write };
}

test('parts that arrive in one turn are sent as one, in their order', async () => {
  const { answer, answered, write } = await openStream();
  for (const piece of ['one ', '', 'two ', 'three']) answer.write(Buffer.from(piece));
  await setImmediate();
  expect(write.mock.calls.map(([piece]) => String(piece))).toEqual(['one two three']);
  answer.write(Buffer.from(' four'));
  await setImmediate();
  answer.finish();
  expect(await text(await answered)).toBe('one two three four');
});

test('all that arrives in one turn with the last part waits with it until the journal has the end', async () => {
  const { answer, answered, write } = await openStream();
  answer.write(Buffer.from('first, '));
  answer.hold(Buffer.from('last'));
  await setImmediate();
  expect(write).not.toHaveBeenCalled();
  answer.release();
  expect(write).toHaveBeenCalledOnce();
  answer.finish();
  expect(await text(await answered)).toBe('first, last');
});

test('once the journal has the end, later parts are sent turn by turn', async () => {
  const { answer, answered, write } = await openStream();
  answer.hold(Buffer.from('last'));
  answer.release();
  answer.write(Buffer.from(', and more'));
  await setImmediate();
  expect(write.mock.calls.map(([piece]) => String(piece))).toEqual(['last', ', and more']);
  answer.finish();
  expect(await text(await answered)).toBe('last, and more');
});

test('a slow client is waited for, and gets more when it has read', async () => {
  const drained = Promise.withResolvers<void>();
  const { answer, answered } = await openStream(drained.resolve);
  const body = answered.then((message) => text(message));
  expect(answer.write(Buffer.alloc(1_000_000, 'a'))).toBe(false);
  expect(answer.write(Buffer.from('b'))).toBe(false);
  await drained.promise;
  expect(answer.write(Buffer.from('c'))).toBe(true);
  answer.finish();
  expect((await body).slice(-3)).toBe('abc');
});

test('the head of a stream is sent before a slow first part', async () => {
  const { answer, answered } = await openStream();
  expect((await answered).statusCode).toBe(200);
  answer.finish();
});

test('no turn holds more than its maximum', async () => {
  const { answer, answered, write } = await openStream();
  for (let count = 0; count < 3; count += 1) answer.write(Buffer.alloc(32_768, 'a'));
  expect(write).toHaveBeenCalledOnce();
  answer.finish();
  expect(await text(await answered)).toHaveLength(98_304);
});
