import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { TollbookError } from '../core/errors.ts';
import { BodyBudget, readBody } from './read-body.ts';

const MIB = 1_048_576;
const LIMITS = { bodyBytesMax: MIB };

interface Read {
  readonly error: TollbookError | null;
  readonly body: Buffer;
}

function read(bytes: Buffer, encoding: string, budget: BodyBudget): Promise<Read> {
  const stream = new PassThrough();
  const req = Object.assign(stream, { headers: { 'content-encoding': encoding } }) as unknown as IncomingMessage;
  const done = new Promise<Read>((resolve) => readBody(req, LIMITS, budget, (error, body) => resolve({ error, body })));
  stream.end(bytes);
  return done;
}

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])('a body in %s takes what it decodes to from the budget', async (encoding, encode) => {
  const budget = new BodyBudget(2 * MIB);
  const { error, body } = await read(encode(Buffer.alloc(MIB - 1_024, 'a')), encoding, budget);
  expect(error).toBeNull();
  expect(body).toHaveLength(MIB - 1_024);
  expect(budget.bytes).toBe(body.length);
  const larger = await read(encode(Buffer.alloc(MIB + 1, 'a')), encoding, new BodyBudget(4 * MIB));
  expect(larger.error?.type).toBe('too_large');
});

test('what breaks off or does not decode takes nothing', async () => {
  const budget = new BodyBudget(4 * MIB);
  const cut = await read(gzipSync(Buffer.alloc(MIB, 'a')).subarray(0, 500), 'gzip', budget);
  const plain = await read(Buffer.from('{}'), 'zstd', budget);
  expect([cut.error?.type, plain.error?.type]).toEqual(['invalid', 'invalid']);
  expect(budget.bytes).toBe(0);
});

test('many small bodies that decode to large ones never hold more than the budget', async () => {
  const bomb = gzipSync(Buffer.alloc(MIB, 'a'));
  const budget = new BodyBudget(2 * MIB);
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 1);
  const reads = await Promise.all(Array.from({ length: 200 }, () => read(bomb, 'gzip', budget)));
  clearInterval(watch);
  const kept = reads.filter(({ error }) => error === null);
  expect(reads.filter(({ error }) => error !== null && error.type !== 'unavailable')).toEqual([]);
  expect(budget.bytes).toBe(kept.length * MIB);
  // Each keeps a piece and its decoder's own memory; decoded whole they would be 200 MiB.
  expect(most).toBeLessThan(64 * MIB);
});
