import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { openai } from '../../providers/openai/openai.ts';
import type { SocketRoute } from '../../providers/provider.ts';
import { FrameResponse } from './frame-response.ts';

/** A client whose bytes wait until `take`. */
class SlowClient {
  readonly sent: string[] = [];
  bufferedAmount = 0;
  #waiting: (() => void)[] = [];

  send(message: Uint8Array, _options: object, sent: () => void): void {
    this.sent.push(Buffer.from(message).toString());
    this.bufferedAmount += message.length;
    this.#waiting.push(sent);
  }

  take(): void {
    this.bufferedAmount = 0;
    for (const sent of this.#waiting.splice(0)) sent();
  }
}

function openResponse() {
  const client = new SlowClient();
  const route = openai.route('GET', '/v1/responses') as SocketRoute;
  const target = { client: client as unknown as WebSocket, route, streamId: 'main', renderBreak: () => 'broken' };
  const response = new FrameResponse(target);
  const events: string[] = [];
  response.on('drain', () => events.push('drain')).on('close', () => events.push('close'));
  return { client, response, events };
}

test('a client that does not read holds the provider back until it has taken what waits', () => {
  const { client, response, events } = openResponse();
  expect(response.write(Buffer.from('{"a":1}\u001e{"b":2}\u001e'))).toBe(true);
  expect(client.sent).toEqual(['{"a":1}', '{"b":2}']);
  expect(response.write(Buffer.from(`"${'x'.repeat(65 * 1024)}"\u001e`))).toBe(false);
  expect(events).toEqual([]);
  client.take();
  expect(events).toEqual(['drain']);
});

test('a response closes once the client has all of it', () => {
  const { client, response, events } = openResponse();
  response.writeHead(200);
  response.end(Buffer.from('{"c":3}\u001e'));
  expect([response.writableFinished, ...events]).toEqual([false]);
  client.take();
  expect([response.writableFinished, ...events]).toEqual([true, 'close']);
});

test("a refusal becomes an error message with its stream, and the provider's own is sent as it came", () => {
  const { client, response } = openResponse();
  response.writeHead(402, { 'retry-after': 5 }).end('{"error":{"code":"insufficient_quota"}}');
  const other = openResponse();
  other.response.writeHead(400, []).end(Buffer.from('{"type":"error","status":400}\u001e'));
  expect(JSON.parse(client.sent[0] ?? '')).toEqual({
    type: 'error',
    status: 402,
    stream_id: 'main',
    error: { code: 'insufficient_quota' },
    headers: { 'retry-after': '5' },
  });
  expect(other.client.sent).toEqual(['{"type":"error","status":400}']);
});

test('a response that breaks off ends with an error message', () => {
  const { client, response, events } = openResponse();
  response.destroy();
  expect([client.sent, response.writableFinished, events]).toEqual([['broken'], false, ['close']]);
});
