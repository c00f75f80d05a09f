import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { OpenRequests, type RequestVerdict } from './open-requests.ts';

const MAX = 4;
let close = (): unknown => undefined;
afterEach(() => close());

interface Pipelined {
  readonly text: string;
  readonly verdicts: readonly RequestVerdict[];
}

/** Sends requests in one write, and returns what came back when the server closed the connection. */
async function pipeline(count: number): Promise<Pipelined> {
  const openRequests = new OpenRequests(MAX);
  const verdicts: RequestVerdict[] = [];
  const server = createServer((req, res) => {
    const verdict = openRequests.take(req, res);
    verdicts.push(verdict);
    if (verdict === 'handle') setImmediate(() => res.end('handled'));
    if (verdict === 'refuse') res.writeHead(503, { connection: 'close' }).end('refused');
  });
  close = () => server.close();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (piece) => (text += String(piece)));
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(count));
  await new Promise((resolve) => socket.once('close', resolve).on('error', () => undefined));
  return { text, verdicts };
}

const occurrences = (text: string, word: string): number => text.split(word).length - 1;

test('a connection with too many unanswered requests gets its answers and a refusal, and is closed', async () => {
  const { text, verdicts } = await pipeline(MAX + 3);
  expect(occurrences(text, 'handled')).toBe(MAX);
  expect(occurrences(text, 'refused')).toBe(1);
  expect(verdicts.filter((verdict) => verdict === 'handle')).toHaveLength(MAX);
});

test('too many requests on one connection are not handled', async () => {
  const { verdicts } = await pipeline(50_000);
  expect(verdicts.filter((verdict) => verdict === 'handle')).toHaveLength(MAX);
  // One read of the socket at most: it is closed during the first.
  expect(verdicts.length).toBeLessThan(10_000);
});

test('consecutive requests are never refused', async () => {
  const openRequests = new OpenRequests(MAX);
  const server = createServer((req, res) => void res.end(openRequests.take(req, res)));
  close = () => server.close();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = server.address() as AddressInfo;
  for (let sent = 0; sent < 5 * MAX; sent += 1)
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('handle');
});
