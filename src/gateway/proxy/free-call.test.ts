import { once } from 'node:events';
import {
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { FreeCall } from './free-call.ts';

const UNTIL = 1_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(answer: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

/** A door whose free calls share one connection to the provider; each new one is made once `reachable` says so. */
async function open(answer: RequestListener, reachable: Promise<void> = Promise.resolve()) {
  const provider = await listen(answer);
  const origin = `http://127.0.0.1:${provider.port}`;
  const pool = new Pool(origin, {
    connections: 1,
    connect: (_options, done) => {
      void reachable.then(() => {
        const socket = connect(provider.port, '127.0.0.1', () => done(null, socket));
      });
    },
  });
  closing.push(() => pool.destroy());
  const calls: FreeCall[] = [];
  const door = await listen((_req, res) => {
    const deny = (status: number, what: string): void => {
      if (res.headersSent) res.destroy();
      else res.writeHead(status).end(what);
    };
    const call = new FreeCall({ res, until: UNTIL, connection: { end: () => {} }, deny });
    calls.push(call);
    pool.dispatch({ origin, path: '/', method: 'GET' }, call);
  });
  const ask = () => {
    const request = get({ port: door.port, agent: false }).on('error', () => {});
    return { request, answered: once(request, 'response') as Promise<[IncomingMessage]> };
  };
  return { provider: provider.server, door: door.server, calls, ask };
}

async function asked(server: Server): Promise<ServerResponse> {
  const [, res] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return res;
}

async function read(answered: Promise<[IncomingMessage]>): Promise<string> {
  const [answer] = await answered;
  return `${answer.statusCode} ${await text(answer)}`;
}

test('a client that disconnects before its free call has a connection leaves the connection to the next call', async () => {
  const reachable = Promise.withResolvers<void>();
  const { door: provider, ask } = await open((_req, res) => void res.end('free'), reachable.promise);
  const leaving = ask();
  const res = await asked(provider);
  leaving.answered.catch(() => {});
  leaving.request.destroy();
  await once(res, 'close');
  reachable.resolve();
  expect(await read(ask().answered)).toBe('200 free');
});

test('a free call whose client does not read its response releases its connection at its timeout', async () => {
  const { provider, calls, ask } = await open((_req, res) => void res.end(Buffer.alloc(64 * 1_048_576)));
  const sending = asked(provider);
  const [answer] = await ask().answered;
  answer.on('error', () => {}).pause();
  const sent = await sending;
  const closed = once(sent, 'close');
  calls[0]?.sweep(UNTIL - 1);
  expect(sent.destroyed).toBe(false);
  calls[0]?.sweep(UNTIL);
  await closed;
});

test('a free call without a response at its timeout gets an error, and is not sent afterwards', async () => {
  const reachable = Promise.withResolvers<void>();
  const { provider, door, calls, ask } = await open((_req, res) => void res.end('free'), reachable.promise);
  let sent = 0;
  provider.on('request', () => (sent += 1));
  const { answered } = ask();
  await asked(door);
  calls[0]?.sweep(UNTIL);
  expect(await read(answered)).toBe('504 did not answer in time');
  reachable.resolve();
  expect(await read(ask().answered)).toBe('200 free');
  expect(sent).toBe(1);
});
