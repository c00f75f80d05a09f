import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { BodyPieces } from './body-pieces.ts';

const KIB = 1_024;
const COUNT = 2_000;

function gathered(pieces: readonly Buffer[]): BodyPieces {
  const gathering = new BodyPieces();
  for (const piece of pieces) gathering.add(piece);
  return gathering;
}

test('a body in parts of any size is returned unchanged', () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(4_095, 4_096, 70_000)), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(sizes, (lengths) => {
      const pieces = lengths.map((length, index) => Buffer.alloc(length, index + 1));
      expect(gathered(pieces).take().equals(Buffer.concat(pieces))).toBe(true);
    }),
  );
});

test.each([
  ['of one byte', 1],
  ['just small enough to be copied', 4_095],
  ['that are large, of a large body', 65_536],
])('parts %s keep no more buffers than their bytes need', (_, length) => {
  const part = Buffer.alloc(length);
  const pieces = gathered(Array.from({ length: COUNT }, () => part));
  expect(pieces.bytes).toBe(COUNT * length);
  expect(pieces.count).toBeLessThanOrEqual(18 + pieces.bytes / (60 * KIB));
});

test('small parts between large ones share one block', () => {
  const before = process.memoryUsage().arrayBuffers;
  const pieces = new BodyPieces();
  const large = Buffer.alloc(4 * KIB);
  for (let turn = 0; turn < 1_000; turn += 1) {
    pieces.add(large);
    pieces.add(Buffer.alloc(1));
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4_000 * KIB);
  expect(pieces.take()).toHaveLength(1_000 * (4 * KIB + 1));
});

test('a body of one part is passed on without a copy', () => {
  const piece = Buffer.from('{}');
  expect(gathered([piece]).take()).toBe(piece);
});

test('the memory of a released large body is free before any garbage collection', () => {
  const piece = Buffer.alloc(64 * KIB);
  const pieces = gathered(Array.from({ length: 512 }, () => piece));
  const before = process.memoryUsage().arrayBuffers;
  pieces.clear();
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThan(16_384 * KIB);
});

test('a large body is in memory only once while its parts are joined', () => {
  const parts = Array.from({ length: 512 }, (_, at) => Buffer.alloc(64 * KIB - 1, at));
  const pieces = gathered(parts);
  const before = process.memoryUsage().arrayBuffers;
  let last = Infinity;
  const buffers = Buffer.prototype as Pick<Buffer, 'copy'>;
  const { copy } = buffers;
  const spy = vi.spyOn(buffers, 'copy').mockImplementation(function (this: Buffer, ...to) {
    last = process.memoryUsage().arrayBuffers - before;
    return copy.apply(this, to);
  });
  const whole = pieces.take();
  spy.mockRestore();
  expect(last).toBeLessThan(4_096 * KIB);
  expect(whole.equals(Buffer.concat(parts))).toBe(true);
});
