import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '../doubles/plan.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, type Service, startService } from '../service.ts';
import { open } from './bad/exchange.ts';
import type { ExportedCall } from './recorded-call.ts';

// A client that goes away, or doesn't read: its call is booked all the same, and costs the service no memory.

let double: ProviderDouble;
let service: Service;
let keys: Readonly<Record<'anthropic' | 'openai', string>>;
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  keys = { anthropic: await service.createKey('anthropic'), openai: await service.createKey('openai') };
});
afterAll(async () => {
  await service?.close();
  await double?.close();
});

const COST = 0.000_11;
const EXACT = {
  outcome: 'completed',
  uncertainReason: null,
  usageSource: 'reported',
  inputTokens: 10,
  outputTokens: 20,
  cost: COST,
};

const BODIES = {
  '/anthropic/v1/messages': {
    model: 'claude-haiku-4-5',
    max_tokens: 4_096,
    messages: [{ role: 'user', content: 'Hello' }],
  },
  '/openai/v1/responses': { model: 'gpt-4o-mini', input: 'Hello' },
  '/openai/v1/chat/completions': { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] },
} as const;

/** Sends a call on a connection of its own; the answer is the test's to read, or not. */
async function begin(path: keyof typeof BODIES, stream: boolean, plan: Plan): Promise<Socket> {
  double.plan(plan);
  const socket = await open(service.baseUrl);
  const body = JSON.stringify({ ...BODIES[path], stream });
  const key = path.startsWith('/openai') ? keys.openai : keys.anthropic;
  socket.write(
    `POST /api/proxy${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** Reads until the text has come; how many bytes came until then. */
async function readUntil(socket: Socket, text: string): Promise<number> {
  let bytes = 0;
  let tail = '';
  socket.setEncoding('latin1');
  for await (const piece of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
    bytes += piece.length;
    tail = tail.slice(-text.length) + piece;
    if (tail.includes(text)) return bytes;
  }
  throw new Error(`The answer ended without ${text}: ${tail}`);
}

async function leave(socket: Socket): Promise<void> {
  socket.destroy();
  await once(socket, 'close');
  // A new connection is accepted after the end of this one has been noticed.
  await fetch(`${service.baseUrl}/healthz`);
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}

/** The newest entry, once no call is under way and all that have ended are in the book. */
async function lastEntry(): Promise<ExportedCall | undefined> {
  await eventually(
    () => metric('tollbook_in_flight'),
    (calls) => calls === 0,
  );
  await eventually(
    () => metric('tollbook_journal_lag'),
    (calls) => calls === 0,
  );
  return (await service.report<{ entries: ExportedCall[] }>('/api/mcp/entries?limit=1')).entries[0];
}

/** The entry of the last request that the double has seen. */
async function entryOfLast(): Promise<ExportedCall | undefined> {
  const entry = await lastEntry();
  expect(entry?.requestId).toBe(`req_${double.requests.at(-1)?.id}`);
  return entry;
}

describe('a client that disconnects', () => {
  test.each([false, true])(
    'before the headers pays for the usage that the provider reports (stream: %s)',
    async (stream) => {
      const socket = await begin('/anthropic/v1/messages', stream, { hold: 'headers' });
      const held = await double.held();
      await leave(socket);
      held.release();
      expect(await entryOfLast()).toMatchObject(EXACT);
    },
  );

  test('by ending only its own side pays and gets no answer', async () => {
    const socket = await begin('/anthropic/v1/messages', false, { hold: 'headers' });
    const held = await double.held();
    socket.end();
    await expect(readUntil(socket, 'HTTP/1.1')).rejects.toThrow('The answer ended without HTTP/1.1: ');
    held.release();
    expect(await entryOfLast()).toMatchObject(EXACT);
  });

  test('in the middle of a JSON answer pays exactly', async () => {
    const socket = await begin('/anthropic/v1/messages', false, {
      hold: 'writes',
      padBytes: 300_000,
      splitBytes: 100_000,
    });
    const held = await double.held();
    held.next(2);
    await readUntil(socket, 'xxxx');
    await leave(socket);
    held.release();
    expect(await entryOfLast()).toMatchObject(EXACT);
  });

  test('in the middle of a stream pays exactly if the rest arrives', async () => {
    const socket = await begin('/anthropic/v1/messages', true, { hold: 'writes' });
    const held = await double.held();
    held.next(3);
    await readUntil(socket, 'content_block');
    await leave(socket);
    held.release();
    expect(await entryOfLast()).toMatchObject(EXACT);
  });

  test('in the middle of a stream that then breaks is recorded with the usage seen, as uncertain', async () => {
    const socket = await begin('/anthropic/v1/messages', true, { hold: 'writes' });
    const held = await double.held();
    held.next(4);
    await readUntil(socket, 'content_block_delta');
    await leave(socket);
    held.reset();
    const entry = await entryOfLast();
    expect(entry).toMatchObject({
      outcome: 'client_left',
      uncertainReason: 'client_left',
      usageSource: 'counted',
      inputTokens: 10,
    });
    expect(entry?.cost).toBeGreaterThan(0);
    // 10 tokens of input, 4,096 of output and what may stand around them.
    expect(entry?.uncertainUpTo).toBeGreaterThan(0.02);
  });

  test.each([
    ['/openai/v1/responses', 'response.completed'],
    ['/openai/v1/chat/completions', '[DONE]'],
    ['/anthropic/v1/messages', 'message_stop'],
  ] as const)('right after the terminal event of %s is recorded as completed', async (path, terminal) => {
    const socket = await begin(path, true, {});
    await readUntil(socket, terminal);
    await leave(socket);
    expect(await entryOfLast()).toMatchObject({
      outcome: 'completed',
      uncertainReason: null,
      usageSource: 'reported',
      outputTokens: 20,
    });
  });

  test('is not drained forever: reading ends when it would cost too much', async () => {
    const pieces = Array.from({ length: 400 }, () => 'x'.repeat(50_000));
    const socket = await begin('/anthropic/v1/messages', true, { hold: 'writes', pieces });
    const held = await double.held();
    held.next(4);
    await readUntil(socket, 'xxxx');
    await leave(socket);
    held.release();
    await held.closed;
    expect(double.requests.at(-1)?.aborted).toBe(true);
    expect(await entryOfLast()).toMatchObject({
      outcome: 'client_left',
      uncertainReason: 'client_left',
      usageSource: 'counted',
    });
  });

  test('while others wait cancels no other call', async () => {
    const leaving = await begin('/anthropic/v1/messages', true, { hold: 'writes' });
    const leavingHeld = await double.held();
    const staying = await begin('/anthropic/v1/messages', true, { hold: 'writes' });
    const stayingHeld = await double.held();
    await leave(leaving);
    stayingHeld.release();
    await readUntil(staying, 'message_stop');
    await leave(staying);
    leavingHeld.release();
    expect(await lastEntry()).toMatchObject(EXACT);
  });
});

const MIB = 1_048_576;

/** RSS of the service once it stays as it is. */
async function settledMemory(): Promise<number> {
  let last = 0;
  let times = 0;
  return eventually(
    () => metric('process_resident_memory_bytes'),
    (bytes) => {
      times = Math.abs(bytes - last) < MIB ? times + 1 : 0;
      last = bytes;
      return times === 10;
    },
  );
}

test('a client that doesn’t read slows the provider and uses no memory; when it reads, everything arrives', async () => {
  const pieces = Array.from({ length: 500 }, () => 'x'.repeat(100_000));
  const before = await settledMemory();
  const socket = await begin('/anthropic/v1/messages', true, { pieces });
  socket.pause();
  await eventually(
    () => metric('tollbook_in_flight'),
    (calls) => calls === 1,
  );
  const grown = (await settledMemory()) - before;
  expect(await metric('tollbook_in_flight')).toBe(1);
  expect(grown).toBeLessThan(25 * MIB);
  expect(await readUntil(socket, 'message_stop')).toBeGreaterThan(50_000_000);
  await leave(socket);
  expect(await entryOfLast()).toMatchObject(EXACT);
});
