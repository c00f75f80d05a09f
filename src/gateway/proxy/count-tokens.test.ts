import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import type { TokenCounter } from '../../providers/provider.ts';
import {
  COUNT_MS_MAX,
  CountRefusal,
  COUNTS_PER_KEY_MAX,
  COUNTS_WAITING_PER_KEY_MAX,
  type NoCountReason,
  TokenCounts,
} from './count-tokens.ts';
import { BodyBudget } from './body-budget.ts';
import { KeyLoads } from './key-loads.ts';
import { UpstreamPools } from './upstream.ts';

/** A counter that holds its answers back until the test gives them. */
class CounterDouble {
  readonly asked: { readonly req: IncomingMessage; readonly body: string; readonly res: ServerResponse }[] = [];
  readonly server: Server;
  #seen: (() => void) | null = null;

  constructor() {
    this.server = createServer((req, res) => {
      let body = '';
      req.setEncoding('utf8').on('data', (piece: string) => (body += piece));
      req.on('end', () => {
        this.asked.push({ req, body, res });
        this.#seen?.();
      });
    });
  }

  /** Resolves when so many requests have come. */
  async requests(count: number): Promise<void> {
    while (this.asked.length < count) await new Promise<void>((resolve) => (this.#seen = resolve));
  }

  answer(at: number, body: string, status = 200, headers: Record<string, string> = {}): void {
    this.asked[at]?.res.writeHead(status, headers).end(body);
  }
}

const COUNTER: TokenCounter = {
  upstreamPath: '/v1/count',
  requestOf: (body) => Buffer.concat([Buffer.from('count:'), body]),
  read: (answer) => (/^\d+$/.test(Buffer.from(answer).toString()) ? Number(Buffer.from(answer).toString()) : null),
};

const time = { uptime: 0 };
let double: CounterDouble;
let upstreams: UpstreamPools;
let bodies: BodyBudget;
let counts: TokenCounts;
beforeEach(async () => {
  time.uptime = 0;
  double = new CounterDouble();
  double.server.listen(0, '127.0.0.1');
  await once(double.server, 'listening');
  upstreams = new UpstreamPools({
    upstreamConnectionsMax: 64,
    upstreamConnectMsMax: 1_000,
    upstreamSilenceMsMax: 60_000,
  });
  bodies = new BodyBudget({ bodiesInMemoryBytesMax: 1_000, bodyBytesPerSecondMin: 1 });
  counts = new TokenCounts({ bodies, loads: new KeyLoads(), uptime: () => time.uptime, log: silentLog });
});
afterEach(async () => {
  if (counts.pending !== 0 || bodies.bytes !== 0) throw new Error('A count was left behind.');
  await upstreams.close();
  double.server.closeAllConnections();
  double.server.close();
});

interface Asking {
  readonly keyId?: string;
  readonly counter?: Partial<TokenCounter>;
  readonly body?: string;
}

/** Asks; the promise has what the gate was told. */
function ask({ keyId = 'key_1', counter = {}, body = 'hello' }: Asking = {}) {
  const { port } = double.server.address() as AddressInfo;
  const { promise, resolve } = Promise.withResolvers<number | CountRefusal | NoCountReason>();
  const giveUp = counts.ask(
    {
      keyId,
      counter: { ...COUNTER, ...counter },
      target: upstreams.target(`http://127.0.0.1:${port}/base`),
      headers: { authorization: 'Bearer provider', 'accept-encoding': 'gzip', 'anthropic-beta': 'a' },
      client: null,
      body: Buffer.from(body),
    },
    resolve,
  );
  return { tokens: promise, giveUp };
}

test('the count comes from the provider, asked with the headers of the call', async () => {
  const { tokens } = ask();
  await double.requests(1);
  double.answer(0, '42');
  expect(await tokens).toBe(42);
  expect(double.asked[0]).toMatchObject({
    body: 'count:hello',
    req: {
      method: 'POST',
      url: '/base/v1/count',
      headers: {
        authorization: 'Bearer provider',
        'anthropic-beta': 'a',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
      },
    },
  });
});

test('a prompt that the provider calls invalid is refused with the provider’s error', async () => {
  const { tokens } = ask();
  await double.requests(1);
  double.answer(0, '{"error":"no"}', 400, {
    'content-type': 'application/json',
    'x-request-id': 'r',
    'set-cookie': 'a',
  });
  const refusal = await tokens;
  if (!(refusal instanceof CountRefusal)) throw new Error('It was taken for a count.');
  expect([refusal.status, refusal.body.toString()]).toEqual([400, '{"error":"no"}']);
  expect(refusal.headers).toEqual(expect.arrayContaining(['content-type', 'application/json', 'x-request-id', 'r']));
  expect(refusal.headers).not.toContain('set-cookie');
});

describe('there is no count', () => {
  test.each<[string, (at: number) => void, NoCountReason]>([
    ['too many requests', (at) => double.answer(at, '42', 429), 'late'],
    ['a failure', (at) => double.answer(at, '42', 500), 'late'],
    ['overload', (at) => double.answer(at, '42', 529), 'late'],
    ['a connection that breaks', (at) => double.asked[at]?.req.socket.destroy(), 'late'],
    ['no such path', (at) => double.answer(at, '42', 404), 'never'],
    ['no such method', (at) => double.answer(at, '42', 405), 'never'],
    ['a key that may not count', (at) => double.answer(at, '42', 403), 'never'],
    ['another address', (at) => double.answer(at, '42', 308), 'never'],
    ['nothing of the kind', (at) => double.answer(at, '42', 501), 'never'],
    ['something else than a count', (at) => double.answer(at, 'many'), 'never'],
    ['an endless refusal', (at) => double.answer(at, '4'.repeat(65_537), 400), 'never'],
    ['an encoded refusal', (at) => double.answer(at, '4', 400, { 'content-encoding': 'gzip' }), 'never'],
    ['an encoded answer', (at) => double.answer(at, '42', 200, { 'content-encoding': 'gzip' }), 'never'],
    ['an endless answer', (at) => double.answer(at, '4'.repeat(65_537)), 'never'],
  ])('after %s, and whether another try may get one', async (_, answer, uncounted) => {
    const { tokens } = ask();
    await double.requests(1);
    answer(0);
    expect(await tokens).toBe(uncounted);
  });

  test('after two seconds, and the request is aborted', async () => {
    const { tokens } = ask();
    await double.requests(1);
    const closed = once(double.asked[0]?.res ?? double.server, 'close');
    time.uptime = COUNT_MS_MAX - 1;
    counts.sweep();
    expect(counts.pending).toBe(1);
    time.uptime = COUNT_MS_MAX;
    counts.sweep();
    expect(await tokens).toBe('late');
    await closed;
  });

  test('when the memory for bodies is full', async () => {
    expect(await ask({ body: 'x'.repeat(1_000) }).tokens).toBe('late');
    expect(double.asked).toEqual([]);
  });

  test('if the request cannot be sent or the response cannot be read', async () => {
    const fail = (): never => {
      throw new Error('a fault of ours');
    };
    expect(await ask({ counter: { requestOf: fail } }).tokens).toBe('late');
    const { tokens } = ask({ counter: { read: fail } });
    await double.requests(1);
    double.answer(0, '42');
    expect(await tokens).toBe('never');
  });

  test('if the gateway is closing, in a later turn', async () => {
    ask().giveUp();
    await upstreams.close();
    let returned = false;
    const { tokens } = ask();
    const checked = tokens.then((count) => expect([count, returned]).toEqual(['late', true]));
    returned = true;
    await checked;
  });
});

describe('many counts', () => {
  test('of one key are limited to eight at once, and the next one starts as soon as one ends', async () => {
    const asked = Array.from({ length: COUNTS_PER_KEY_MAX + 1 }, () => ask());
    const other = ask({ keyId: 'key_2' });
    await double.requests(COUNTS_PER_KEY_MAX + 1);
    expect(counts.pending).toBe(COUNTS_PER_KEY_MAX + 2);
    expect(double.asked.length).toBe(COUNTS_PER_KEY_MAX + 1);
    for (let at = 0; at <= COUNTS_PER_KEY_MAX; at += 1) double.answer(at, '1');
    await double.requests(COUNTS_PER_KEY_MAX + 2);
    double.answer(COUNTS_PER_KEY_MAX + 1, '1');
    expect(await Promise.all([...asked, other].map(({ tokens }) => tokens))).toEqual(
      Array.from({ length: COUNTS_PER_KEY_MAX + 2 }, () => 1),
    );
  });

  test('include the waiting in the two seconds', async () => {
    const all = Array.from({ length: COUNTS_PER_KEY_MAX + 3 }, () => ask());
    await double.requests(COUNTS_PER_KEY_MAX);
    time.uptime = COUNT_MS_MAX;
    counts.sweep();
    for (const { tokens } of all) expect(await tokens).toBe('late');
    expect(double.asked.length).toBe(COUNTS_PER_KEY_MAX);
  });

  test('have a bounded queue', async () => {
    const all = Array.from({ length: COUNTS_PER_KEY_MAX + COUNTS_WAITING_PER_KEY_MAX }, () => ask());
    expect(await ask().tokens).toBe('late');
    for (const { giveUp } of all) giveUp();
  });
});

describe('a client that disconnected', () => {
  test('ends the request, gets no result, and frees its place', async () => {
    const [first, ...rest] = Array.from({ length: COUNTS_PER_KEY_MAX + 1 }, () => ask());
    let checked = false;
    void first?.tokens.then(() => (checked = true));
    await double.requests(COUNTS_PER_KEY_MAX);
    first?.giveUp();
    first?.giveUp();
    await double.requests(COUNTS_PER_KEY_MAX + 1);
    for (let at = 1; at <= COUNTS_PER_KEY_MAX; at += 1) double.answer(at, '1');
    for (const { tokens } of rest) expect(await tokens).toBe(1);
    expect(checked).toBe(false);
  });

  test('leaves the queue, and a count that has not started is never requested', async () => {
    ask().giveUp();
    const last = ask();
    await double.requests(1);
    double.answer(0, '7');
    expect(await last.tokens).toBe(7);
    expect(double.asked.length).toBe(1);
  });
});
