import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, constants, createZstdCompress, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { TollbookError } from '../../domain/errors.ts';
import { BodyBudget, type BodyHolder, BodyLease } from './body-budget.ts';
import { BodyReader } from './read-body.ts';

const MIB = 1_048_576;
const LIMITS = { bodyBytesMax: MIB };

interface Read {
  readonly error: TollbookError | null;
  readonly body: Buffer;
}

function budgetOf(bodiesInMemoryBytesMax: number): BodyBudget {
  return new BodyBudget({ bodiesInMemoryBytesMax, bodyBytesPerSecondMin: 16_384 });
}

let keys = 0;

/** Begins to read what is written into the stream. */
function reading(
  encoding: string,
  budget: BodyBudget,
  options: { reader?: BodyReader; key?: BodyHolder; client?: BodyHolder } = {},
) {
  const {
    reader = new BodyReader(LIMITS),
    key = { name: `key ${(keys += 1)}`, bodyBytes: 0 },
    client = null,
  } = options;
  const stream = new PassThrough();
  const socket = { destroyed: false };
  const req = Object.assign(stream, { headers: { 'content-encoding': encoding }, socket });
  const done = new Promise<Read>((resolve) => {
    const lease = new BodyLease(budget, key, client);
    reader.read(req as unknown as IncomingMessage, lease, (error, body) => resolve({ error, body }));
  });
  return { stream, socket, done };
}

function read(bytes: Buffer, ...how: Parameters<typeof reading>): Promise<Read> {
  const { stream, done } = reading(...how);
  stream.end(bytes);
  return done;
}

/** In two pieces, so that the frame names a window and no length. */
function zstdOf(bytes: Buffer, windowLog: number): Promise<Buffer> {
  const encoder = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: windowLog } });
  encoder.write(bytes.subarray(0, 1));
  encoder.end(bytes.subarray(1));
  return buffer(encoder);
}

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])('a body in %s takes its decoded size from the budget', async (encoding, encode) => {
  const budget = budgetOf(4 * MIB);
  const { error, body } = await read(encode(Buffer.alloc(MIB - 1_024, 'a')), encoding, budget);
  expect(error).toBeNull();
  expect(body).toHaveLength(MIB - 1_024);
  expect(budget.bytes).toBe(body.length);
  const larger = await read(encode(Buffer.alloc(MIB + 1, 'a')), encoding, budgetOf(4 * MIB));
  expect(larger.error?.type).toBe('too_large');
});

test('a body that breaks off or cannot be decoded takes nothing', async () => {
  const budget = budgetOf(4 * MIB);
  const cut = await read(gzipSync(Buffer.alloc(MIB, 'a')).subarray(0, 500), 'gzip', budget);
  const plain = await read(Buffer.from('{}'), 'zstd', budget);
  expect([cut.error?.type, plain.error?.type]).toEqual(['invalid', 'invalid']);
  expect(budget.bytes).toBe(0);
});

test('a body whose decoder would need a window of more than 8 MiB is refused', async () => {
  const { error } = await read(await zstdOf(Buffer.alloc(1_000, 'a'), 27), 'zstd', budgetOf(4 * MIB));
  expect(error?.type).toBe('invalid');
  expect((await read(await zstdOf(Buffer.alloc(1_000, 'a'), 23), 'zstd', budgetOf(4 * MIB))).error).toBeNull();
});

test('many small bodies that decode to large ones never hold more than the budget', async () => {
  const bomb = gzipSync(Buffer.alloc(MIB, 'a'));
  const budget = budgetOf(4 * MIB);
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 1);
  const reads = await Promise.all(Array.from({ length: 200 }, () => read(bomb, 'gzip', budget)));
  clearInterval(watch);
  const kept = reads.filter(({ error }) => error === null);
  expect(reads.filter(({ error }) => error !== null && error.type !== 'unavailable')).toEqual([]);
  expect(kept.length).toBeGreaterThan(0);
  expect(budget.bytes).toBe(kept.length * MIB);
  // Each keeps a piece and its decoder's own memory; decoded whole they would be 200 MiB.
  expect(most).toBeLessThan(64 * MIB);
});

test('decompression bombs of one key leave the decoders and the memory of another alone', async () => {
  const reader = new BodyReader(LIMITS);
  const budget = budgetOf(8 * MIB);
  const hog = { name: 'hog', bodyBytes: 0 };
  const bomb = gzipSync(Buffer.alloc(4 * MIB, 'a'));
  const over: string[] = [];
  const bombs = Array.from({ length: 50 }, () => read(bomb, 'gzip', budget, { reader, key: hog }));
  for (const each of bombs) void each.then(() => over.push('bomb'));
  const victim = read(gzipSync(Buffer.from('{}')), 'gzip', budget, { reader }).then(({ error }) => {
    over.push('victim');
    return error;
  });
  expect(await victim).toBeNull();
  // Two of the bombs may be decoded before, and two beside it.
  expect(over.indexOf('victim')).toBeLessThanOrEqual(4);
  expect(new Set((await Promise.all(bombs)).map(({ error }) => error?.status))).toEqual(new Set([413]));
});

test('too many decompression bombs of two keys of one machine leave a decoder and places to another machine', async () => {
  const reader = new BodyReader(LIMITS);
  const budget = budgetOf(64 * MIB);
  const bomb = gzipSync(Buffer.alloc(2 * MIB, 'a'));
  const machine = { name: 'machine', bodyBytes: 0 };
  const hogs = ['hog 1', 'hog 2'].map((name) => ({ name, bodyBytes: 0 }));
  const over: string[] = [];
  const bombs = Array.from({ length: 1_300 }, (_, at) =>
    read(bomb, 'gzip', budget, { reader, key: hogs[at % 2] as BodyHolder, client: machine }),
  );
  for (const each of bombs) void each.then(({ error }) => over.push(error?.type ?? 'whole'));
  await setImmediate();
  const { error } = await read(zstdCompressSync('{}'), 'zstd', budget, {
    reader,
    client: { name: 'other', bodyBytes: 0 },
  });
  expect(error).toBeNull();
  // It waits for none of the hundreds that came before.
  expect(over.filter((type) => type === 'too_large').length).toBeLessThan(20);
  const types = (await Promise.all(bombs)).map((each) => each.error?.type);
  // Of 1,000 places each key takes as many as it leaves free, so a third; three more have decoders.
  expect(types.filter((type) => type === 'too_large')).toHaveLength(667 + 3);
  expect(types.filter((type) => type === 'unavailable')).toHaveLength(1_300 - 670);
  expect(machine.bodyBytes).toBe(0);
});

/** Brings so much of a body, and no more. */
async function bring(stream: PassThrough, bytes: number): Promise<void> {
  for (let left = bytes; left > 0; left -= 65_536) {
    stream.write(Buffer.alloc(Math.min(left, 65_536)));
    await setImmediate();
  }
}

test('a large body that stalls is refused with 408, and its memory is freed', async () => {
  const budget = budgetOf(4 * MIB);
  const { stream, done } = reading('identity', budget);
  await bring(stream, 8 * 65_536);
  expect(budget.bytes).toBe(8 * 65_536);
  for (const uptime of [0, 5_000, 10_000]) budget.sweep(uptime);
  expect((await done).error).toMatchObject({ status: 408, headers: ['connection', 'close'] });
  expect(budget.bytes).toBe(0);
});

test('a client that disconnects frees what its body held', async () => {
  const budget = budgetOf(4 * MIB);
  const { stream } = reading('identity', budget);
  await bring(stream, 8 * 65_536);
  expect(budget.bytes).toBe(8 * 65_536);
  stream.destroy();
  await new Promise((resolve) => stream.once('close', resolve));
  expect(budget.bytes).toBe(0);
});

test('clients that disconnect while their bodies wait for decoding free what they held, and their turns', async () => {
  const how = { reader: new BodyReader(LIMITS), key: { name: 'key', bodyBytes: 0 } };
  const budget = budgetOf(16 * MIB);
  const coded = gzipSync(Buffer.alloc(MIB / 2, 'a'));
  const before = [read(coded, 'gzip', budget, how), read(coded, 'gzip', budget, how)];
  for (const { stream, socket } of [reading('gzip', budget, how), reading('gzip', budget, how)]) {
    stream.end(coded);
    socket.destroyed = true;
  }
  const after = await read(coded, 'gzip', budget, how);
  expect(after.error).toBeNull();
  await Promise.all(before);
  expect(budget.bytes).toBe((3 * MIB) / 2);
});

test('waiting compressed bodies of one key leave places for those of another', async () => {
  const how = { reader: new BodyReader(LIMITS), key: { name: 'hog', bodyBytes: 0 } };
  const budget = budgetOf(64 * MIB);
  const coded = gzipSync(Buffer.alloc(100, 'a'));
  const hog = Array.from({ length: 1_010 }, () => read(coded, 'gzip', budget, how));
  const others = ['one', 'two', 'three'].map((name) =>
    read(coded, 'gzip', budget, { ...how, key: { name, bodyBytes: 0 } }),
  );
  expect((await Promise.all(others)).map(({ error }) => error)).toEqual([null, null, null]);
  const refused = (await Promise.all(hog)).flatMap(({ error }) => error ?? []);
  expect(refused).toHaveLength(1_010 - 500 - 2);
  expect(new Set(refused.map(({ type }) => type))).toEqual(new Set(['unavailable']));
});
