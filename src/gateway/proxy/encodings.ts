import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** A window of 8 MiB, which a sender may not pass (RFC 9659); left to itself, the decoder takes 128 MiB where told to. */
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/**
 * The content encodings that the gate reads, in requests and in answers. A map: a client may name what every object
 * inherits.
 */
export const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress(ZSTD)],
]);
