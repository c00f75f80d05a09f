import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAskProvider, readOutcome } from './ask-provider.ts';

const KEY = 'sk-ant-admin01-hidden-0123456789abcdef';
const request = {
  path: '/v1/x',
  query: [
    ['group_by[]', 'a b'],
    ['group_by[]', 'c'],
  ],
  headers: { 'x-own': '1' },
} as const;

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ask = async (url: string, limits = { bodyBytesMax: 1_000, msMax: 5_000 }) =>
  await createAskProvider('tollbook/x', limits)({ url, request, headers: { 'x-api-key': KEY } });

test('a request has the key in its header and nowhere else', async () => {
  const seen: unknown[] = [];
  const url = await serve((asked, answer) => {
    seen.push(asked.method, asked.url, asked.headers['x-api-key'], asked.headers['user-agent'], asked.headers['x-own']);
    answer.end('{"data":[]}');
  });
  expect(await ask(url)).toMatchObject({ ok: true, status: 200, text: '{"data":[]}' });
  expect(seen).toEqual(['GET', '/v1/x?group_by%5B%5D=a+b&group_by%5B%5D=c', KEY, 'tollbook/x', '1']);
});

test('a redirect is a failure, and the key is not sent elsewhere', async () => {
  let strangers = 0;
  const stranger = await serve((_, answer) => void answer.end(String((strangers += 1))));
  const url = await serve((_, answer) => void answer.writeHead(302, { location: stranger }).end());
  expect(readOutcome(await ask(url), 0)).toMatchObject({ kind: 'unusable', reason: 'the response had status 302' });
  expect(strangers).toBe(0);
});

test('an endless response is given up by size or time', async () => {
  const large = await serve((_, answer) => void answer.end('x'.repeat(1_001)));
  expect(await ask(large)).toEqual({ ok: false, reason: 'the response is larger than 1000 bytes' });
  const silent = await serve(() => undefined);
  const half = await serve((_, answer) => void answer.writeHead(200).write('{'));
  for (const url of [silent, half])
    expect(await ask(url, { bodyBytesMax: 1_000, msMax: 50 })).toEqual({
      ok: false,
      reason: 'it did not answer in time',
    });
});

test('connection errors are reported without the key', async () => {
  const broken = await serve((asked, answer) => {
    answer.writeHead(200, { 'content-length': '100' }).write('{');
    asked.socket.destroy();
  });
  for (const url of ['http://127.0.0.1:1', broken]) {
    const answer = await ask(url);
    expect(answer).toMatchObject({ ok: false, reason: expect.stringMatching(/^[A-Z_]+$/) });
    expect(JSON.stringify(answer)).not.toContain('hidden');
  }
});
