import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { makeCertificate } from '../../../test/doubles/certificate.ts';
import { createGuardedSender, type GuardedSenderOptions } from './guarded-sender.ts';
import type { AddressGuard } from './guarded-lookup.ts';
import type { Scheduler } from '../clock.ts';
import type { SendRequest, SendResult } from './guarded-exchange.ts';

/** Everything on this machine; what is refused is the business of the guard's own tests. */
const OWN_MACHINE: AddressGuard = {
  refuseUrl: () => null,
  refuseAddress: (_url, ip) => (/^127\.|^::1$/.test(ip) ? null : 'Only this machine.'),
};
const PATH = '/services/T0/secret-token?sig=secret-signature';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function listenOn(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A receiver that speaks as it likes, once the beginning of a request is there. */
async function listenRaw(answer: (socket: Socket) => void): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((socket) => {
    socket.once('data', (data) => {
      requests.push(data.toString());
      answer(socket);
    });
  });
  return { port: await listenOn(server), requests };
}

const listenHttp = (answer: RequestListener): Promise<number> => listenOn(createHttpServer(answer));

function open(options: Partial<GuardedSenderOptions> = {}) {
  const sender = createGuardedSender({ guard: OWN_MACHINE, ...options });
  closing.push(() => sender.close());
  return {
    sender,
    /** Whatever goes wrong, nothing of the path is told. */
    async send(port: number | string, more: Partial<SendRequest> = {}): Promise<SendResult> {
      const url = `http://127.0.0.1:${port}${PATH}`;
      const result = await sender.send({ url, headers: {}, body: '{"text":"hello"}', ...more });
      if (!result.ok) expect(result.message).toMatch(/^[^\n]+\.$/);
      if (!result.ok) expect(result.message).not.toContain('secret');
      return result;
    },
  };
}

/** Time that passes when the test says so. */
function openTime(): { scheduler: Scheduler; pass(ms: number): void } {
  const timers = new Set<{ readonly act: () => void; readonly ms: number }>();
  const scheduler: Scheduler = {
    soon: (act) => void setImmediate(act),
    later(act, ms) {
      const timer = { act, ms };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  return {
    scheduler,
    pass(ms) {
      for (const timer of timers) if (timer.ms <= ms) timer.act();
    },
  };
}

describe('a request', () => {
  test('is one POST with its headers and body, on its own connection, without cookies', async () => {
    const { port, requests } = await listenRaw((socket) =>
      socket.end('HTTP/1.1 202 Accepted\r\nset-cookie: a=b\r\nx-request: 7\r\nx-request: 8\r\n\r\nok'),
    );
    const { send } = open();
    const headers = { 'content-type': 'application/json', 'webhook-id': 'al_1' };
    for (let at = 0; at < 2; at += 1)
      expect(await send(port, { headers })).toEqual({
        ok: true,
        status: 202,
        headers: { 'x-request': ['7', '8'] },
        body: 'ok',
        bytes: Buffer.from('ok'),
      });
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      expect(request).toContain(`POST ${PATH} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n`);
      expect(request).toContain('content-type: application/json\r\nwebhook-id: al_1\r\n');
      expect(request).toContain('accept-encoding: identity\r\n');
      expect(request).toMatch(/\r\n\r\n\{"text":"hello"\}$/);
      expect(request).not.toMatch(/cookie/i);
    }
  });

  test('keeps the host name when the connection uses its address', async () => {
    const { port, requests } = await listenRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    const { send } = open({ lookup: async () => ['127.0.0.1'] });
    expect(await send(0, { url: `http://hooks.example:${port}/` })).toMatchObject({ ok: true });
    expect(requests[0]).toContain(`host: hooks.example:${port}\r\n`);
  });

  test('tries another address of a name if one does not answer', async () => {
    const { port, requests } = await listenRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    const { send } = open({ lookup: async () => ['::1', '127.0.0.1'] });
    expect(await send(0, { url: `http://hooks.example:${port}/` })).toMatchObject({ ok: true });
    expect(requests).toHaveLength(1);
  });

  test('is refused if one address of a name is private', async () => {
    const { send } = open({ lookup: async () => ['127.0.0.1', '10.0.0.1'] });
    expect(await send(0, { url: 'http://hooks.example/' })).toEqual({
      ok: false,
      reason: 'blocked',
      message: 'Only this machine.',
      status: null,
    });
  });

  test('fails on a redirect, and nothing is sent to its target', async () => {
    let elsewhere = 0;
    const other = await listenHttp((_req, res) => {
      elsewhere += 1;
      res.end();
    });
    const { send } = open();
    const targets = [
      `http://127.0.0.1:${other}/`,
      `https://127.0.0.1:${other}/`,
      `//127.0.0.1:${other}/`,
      `http://user:word@localhost:${other}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://[::1]/',
      'file:///etc/passwd',
      'data:text/plain,x',
      // To itself: a loop.
      '/',
      '',
    ];
    for (const status of [301, 302, 303, 307, 308, 304])
      for (const location of targets) {
        let asked = 0;
        const port = await listenHttp((_req, res) => {
          asked += 1;
          res.writeHead(status, { location }).end();
        });
        expect(await send(port)).toMatchObject({ ok: false, reason: 'redirect', status });
        expect([status, location, asked]).toEqual([status, location, 1]);
      }
    expect(elsewhere).toBe(0);
  });

  test('that cannot be written as HTTP is reported', async () => {
    const { send } = open();
    expect(await send(1, { headers: { 'x-name': 'a\r\nb: c' } })).toMatchObject({ ok: false, reason: 'unsendable' });
  });
});

describe('a response', () => {
  test('without end is read only at its beginning, and its connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    const port = await listenHttp((_req, res) => {
      res.once('close', () => closed.resolve());
      const more = (): void => {
        while (!res.destroyed && res.write('x'.repeat(10_000)));
        res.once('drain', more);
      };
      more();
    });
    const result = await open().send(port);
    const body = 'x'.repeat(4_096);
    expect(result).toEqual({ ok: true, status: 200, headers: expect.any(Object), body, bytes: Buffer.from(body) });
    await closed.promise;
  });

  test('is not decompressed, and bytes that are not text do no harm', async () => {
    const bomb = gzipSync('a'.repeat(1_000_000));
    const port = await listenHttp((_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const result = await open().send(port);
    expect(result.ok && result.body).toBe(bomb.subarray(0, 4_096).toString());
  });

  test('has a maximum size of headers', async () => {
    const { port } = await listenRaw((socket) => socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(20_000)}`));
    expect(await open().send(port)).toMatchObject({ ok: false, reason: 'too_large', status: null });
  });

  test('begins after informational responses', async () => {
    const { port } = await listenRaw((socket) =>
      socket.end('HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 410 Gone\r\n\r\n'),
    );
    expect(await open().send(port)).toMatchObject({ ok: true, status: 410, headers: {} });
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', 'malformed', null],
    ['nothing', '', 'reset', null],
    ['half a header', 'HTTP/1.1 200 OK\r\nx-a', 'reset', null],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc', 'reset', 200],
    ['half a piece', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nabc', 'reset', 200],
  ])('with %s is a failure, and the message is not sent again', async (_name, text, reason, status) => {
    const { port, requests } = await listenRaw((socket) => socket.end(text));
    expect(await open().send(port)).toMatchObject({ ok: false, reason, status });
    expect(requests).toHaveLength(1);
  });

  test('that is reset in the middle is a failure with a status', async () => {
    const { port, requests } = await listenRaw((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc', () => socket.resetAndDestroy()),
    );
    expect(await open().send(port)).toMatchObject({ ok: false, reason: 'reset' });
    expect(requests).toHaveLength(1);
  });

  test('to a closed port fails', async () => {
    const { port } = await listenRaw(() => {});
    await closing.pop()?.();
    expect(await open().send(port)).toEqual({
      ok: false,
      reason: 'connect',
      message: `127.0.0.1:${port} takes no connection (ECONNREFUSED).`,
      status: null,
    });
  });

  test('to a name without an address fails', async () => {
    const { send } = open({ lookup: async () => [] });
    expect(await send(0, { url: 'http://hooks.example/' })).toMatchObject({ ok: false, reason: 'dns' });
  });
});

describe('time', () => {
  test('a request ends when its signal aborts, before it is sent and while it waits for its answer', async () => {
    const asked = Promise.withResolvers<void>();
    const { port } = await listenRaw(() => asked.resolve());
    const { send } = open();
    const abort = new AbortController();
    const waiting = send(port, { signal: abort.signal });
    await asked.promise;
    abort.abort();
    expect(await waiting).toMatchObject({ ok: false, reason: 'timeout' });
    expect(await send(port, { signal: abort.signal })).toMatchObject({ ok: false, reason: 'timeout' });
  });

  test('a lookup, a connection and a handshake that take too long are ended', async () => {
    const { scheduler, pass } = openTime();
    const looking = Promise.withResolvers<void>();
    const lookup = (): Promise<string[]> => {
      looking.resolve();
      return new Promise(() => {});
    };
    const { send } = open({ scheduler, lookup });
    const unknown = send(0, { url: 'http://hooks.example/' });
    await looking.promise;
    pass(9_999);
    pass(10_000);
    expect(await unknown).toMatchObject({ ok: false, reason: 'timeout', status: null });

    const closed = Promise.withResolvers<void>();
    const { port, requests } = await listenRaw((socket) => {
      socket.once('close', () => closed.resolve());
      pass(10_000);
    });
    expect(await send(0, { url: `https://127.0.0.1:${port}/` })).toMatchObject({ ok: false, reason: 'timeout' });
    expect(requests).toHaveLength(1);
    await closed.promise;
  });

  test('slow or missing headers and bodies share one deadline', async () => {
    const { scheduler, pass } = openTime();
    const { send } = open({ scheduler });
    for (const beginning of ['', 'HTTP/1.1 200 OK\r\nx-a: b', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na']) {
      const closed = Promise.withResolvers<void>();
      const { port } = await listenRaw((socket) => {
        socket.once('close', () => closed.resolve());
        // The time to connect is over, but this is connected.
        pass(10_000);
        if (beginning === '') return pass(15_000);
        socket.write(beginning);
        void setImmediate(function drop(): void {
          pass(15_000);
        });
      });
      expect(await send(port)).toMatchObject({ ok: false, reason: 'timeout' });
      await closed.promise;
    }
  });

  test('a response body at the deadline has a status', async () => {
    const { port } = await listenRaw((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na'));
    const { send } = open({ limits: { totalMsMax: 200 } });
    expect(await send(port)).toMatchObject({ ok: false, reason: 'timeout', status: 200 });
  });
});

describe('TLS', () => {
  async function listenTls(names: readonly string[], until?: number) {
    const { key, cert } = makeCertificate(names, until);
    const asked: (string | false | null)[] = [];
    const server = createTlsServer({ key, cert }, (socket: TLSSocket) => {
      asked.push(socket.servername);
      socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
    }).on('tlsClientError', () => {});
    return { port: await listenOn(server), ca: cert, asked };
  }
  const lookup = async (): Promise<string[]> => ['127.0.0.1'];

  test('a trusted certificate with the name suffices; the name is sent without its last dot', async () => {
    const { port, ca, asked } = await listenTls(['hooks.example']);
    const { send } = open({ lookup, ca });
    for (const host of ['hooks.example', 'hooks.example.'])
      expect(await send(0, { url: `https://${host}:${port}${PATH}` })).toMatchObject({ ok: true, status: 204 });
    expect(asked).toEqual(['hooks.example', 'hooks.example']);
  });

  test.each([
    ['signed by itself', ['hooks.example'], undefined, false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['of another name', ['other.example'], undefined, true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that is over', ['hooks.example'], 2_001, true, 'CERT_HAS_EXPIRED'],
  ])('a certificate %s is a failure, for any environment', async (_name, names, until, trusted, code) => {
    const { port, ca, asked } = await listenTls(names, until);
    const { send } = open({ lookup, ...(trusted && { ca }) });
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    closing.push(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
    const result = await send(0, { url: `https://hooks.example:${port}${PATH}` });
    expect(result).toMatchObject({ ok: false, reason: 'tls', message: expect.stringContaining(code) });
    for (const name of asked) expect(name).toBe('hooks.example');
  });

  test('a server without TLS is a failure', async () => {
    const { port } = await listenRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(await open().send(0, { url: `https://127.0.0.1:${port}/` })).toMatchObject({ ok: false, reason: 'tls' });
  });
});

describe('concurrency', () => {
  /** Holds what it is asked until it is told to answer. */
  async function listenHolding() {
    const held: (() => void)[] = [];
    const came: (() => void)[] = [];
    const port = await listenHttp((_req, res) => {
      held.push(() => res.end());
      came.shift()?.();
    });
    return {
      port,
      held,
      async until(count: number): Promise<void> {
        while (held.length < count) await new Promise<void>((resolve) => came.push(resolve));
      },
    };
  }

  test('a receiver gets four at a time, another one is not delayed, and the rest follows', async () => {
    const slow = await listenHolding();
    const fast = await listenHttp((_req, res) => res.end());
    const { send } = open();
    const results = Array.from({ length: 10 }, () => send(slow.port));
    await slow.until(4);
    expect(await send(fast)).toMatchObject({ ok: true });
    expect(slow.held).toHaveLength(4);
    for (let answered = 0; answered < 10; answered += 1) {
      await slow.until(answered + 1);
      expect(slow.held.length - answered).toBeLessThanOrEqual(4);
      slow.held[answered]?.();
    }
    for (const result of await Promise.all(results)) expect(result).toMatchObject({ ok: true });
  });

  test('the queue is bounded, and closing waits only for running requests', async () => {
    const slow = await listenHolding();
    const { sender, send } = open({ limits: { perHostMax: 1, waitingMax: 1 } });
    const [first, second, third] = [send(slow.port), send(slow.port), send(slow.port)];
    expect(await third).toMatchObject({ ok: false, reason: 'busy' });
    await slow.until(1);
    const order: string[] = [];
    const closed = sender.close().then(() => order.push('closed'));
    expect(await second).toMatchObject({ ok: false, reason: 'closed' });
    expect(await send(slow.port)).toMatchObject({ ok: false, reason: 'closed' });
    order.push('answered');
    slow.held[0]?.();
    expect(await first).toMatchObject({ ok: true });
    await closed;
    expect(order).toEqual(['answered', 'closed']);
    expect(slow.held).toHaveLength(1);
  });
});
