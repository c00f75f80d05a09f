import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { AnswerDecoder } from './decoder.ts';

const TEXT = 'a'.repeat(100_000);

// A stream of zlib's that has seen the end of what was encoded takes further bytes and never says that it has.
test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])('%s followed by other bytes ends, so that the call ends too', async (encoding, encode) => {
  let bytes = 0;
  const decoder = AnswerDecoder.open(encoding, (piece) => (bytes += piece.length));
  const push = (piece: Buffer) => new Promise<void>((resolve) => decoder?.push(piece, resolve));
  await push(encode(TEXT));
  await push(Buffer.from('left over'));
  await push(Buffer.from('left over'));
  await new Promise<void>((resolve) => decoder?.end(resolve));
  expect(bytes).toBe(TEXT.length);
});
