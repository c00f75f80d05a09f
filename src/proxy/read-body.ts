import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { TollbookError } from '../core/errors.ts';
import { DECODERS } from './encodings.ts';

/** What all request bodies together may occupy. */
export class BodyBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the bytes; or says why not, when the bodies under way fill the memory set aside for them. */
  take(bytes: number): TollbookError | null {
    if (this.#bytes + bytes > this.#bytesMax)
      return new TollbookError(
        'unavailable',
        'The gate is holding as many request bodies as it has memory for; try again in a moment.',
      );
    this.#bytes += bytes;
    return null;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** Gives a body's bytes back, once, however often it is called. Its closure must not hold the body itself. */
export function leaseOf(budget: BodyBudget, bytes: number): () => void {
  let held = bytes;
  return () => {
    budget.give(held);
    held = 0;
  };
}

export interface BodyLimits {
  readonly bodyBytesMax: number;
}

type Done = (error: TollbookError | null, body: Buffer) => void;

const NOTHING = Buffer.alloc(0);

/**
 * Reads a request's whole body, decoded. `done` runs once, with the body or with a sentence; never when the client
 * went away first. The bytes stay taken from `budget` until the caller gives `body.length` back.
 */
export function readBody(req: IncomingMessage, limits: BodyLimits, budget: BodyBudget, done: Done): void {
  const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decode = encoding === 'identity' || encoding === '' ? null : DECODERS.get(encoding);
  if (decode === undefined) return refuse(req, done, unknownEncoding(encoding));
  if (Number(req.headers['content-length'] ?? 0) > limits.bodyBytesMax)
    return refuse(req, done, tooLarge(limits.bodyBytesMax));
  collect(req, limits.bodyBytesMax, budget, (error, body) => {
    if (error || decode === null) return done(error, body);
    decodeWhole(body, decode(), limits.bodyBytesMax, budget, done);
  });
}

/** Gathers all that comes, as far as the budget allows. What comes to no end is given back, and `done` never runs. */
function collect(from: Readable, bytesMax: number, budget: BodyBudget, done: Done): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let open = true;
  const close = (): void => {
    open = false;
    pieces.length = 0;
  };
  from.on('data', (piece: Buffer) => {
    if (!open) return;
    const refusal = bytes + piece.length > bytesMax ? tooLarge(bytesMax) : budget.take(piece.length);
    if (refusal) {
      budget.give(bytes);
      close();
      return refuse(from, done, refusal);
    }
    bytes += piece.length;
    pieces.push(piece);
  });
  from.on('end', () => {
    if (!open) return;
    const body = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, bytes);
    close();
    done(null, body);
  });
  from.on('close', () => {
    if (!open) return;
    budget.give(bytes);
    close();
  });
}

/** Decoded bytes are taken from the budget as they come: a small body may hold thousands of times its size. */
function decodeWhole(body: Buffer, decoder: Transform, bytesMax: number, budget: BodyBudget, done: Done): void {
  let open = true;
  const finish: Done = (error, decoded) => {
    if (!open) return;
    open = false;
    budget.give(body.length);
    decoder.destroy();
    done(error, decoded);
  };
  collect(decoder, bytesMax, budget, finish);
  decoder.on('error', () => {
    finish(new TollbookError('invalid', 'The body does not decode as its Content-Encoding says.'), NOTHING);
  });
  decoder.end(body);
}

/** The rest of a refused body is read and thrown away by Node when the answer has been sent and the socket closes. */
function refuse(from: Readable, done: Done, error: TollbookError): void {
  from.resume();
  done(error, NOTHING);
}

function tooLarge(bytesMax: number): TollbookError {
  return new TollbookError('too_large', `The request body is larger than ${bytesMax / 1_048_576} MiB.`);
}

function unknownEncoding(encoding: string): TollbookError {
  return new TollbookError(
    'media_type',
    `The gate can't read Content-Encoding "${encoding.slice(0, 40)}"; send the body plain, or as ${[...DECODERS.keys()].join(', ')}.`,
  );
}
