import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { TollbookError } from '../../domain/errors.ts';
import { FairLanes, type LaneTurn } from '../../lib/concurrency/lanes.ts';
import type { BodyLease } from './body-budget.ts';
import { BodyPieces } from './body-pieces.ts';
import { DECODERS } from './decoder.ts';

export interface BodyLimits {
  readonly bodyBytesMax: number;
}

type BodyCallback = (error: TollbookError | null, body: Buffer) => void;
type OpenDecoder = () => Transform;

const KIB = 1_024;
const MIB = 1_024 * KIB;
const NOTHING = Buffer.alloc(0);
/**
 * Limits of decoding. Decoders use additional memory, and each piece costs a turn of the event loop, so a key
 * decodes few bodies at a time. An address leaves one decoder to others, however many keys it uses.
 */
const DECODING = { totalMax: 4, perNameMax: 2, perOriginMax: 3, waitingMax: 1_000, sharesPlaces: true };

/** Reads request bodies. */
export class BodyReader {
  readonly #bytesMax: number;
  readonly #decoding = new FairLanes(DECODING);

  constructor({ bodyBytesMax }: BodyLimits) {
    this.#bytesMax = bodyBytesMax;
  }

  /**
   * Reads a request's whole body, decoded. `done` runs once, with the body or an error, or never if the client
   * disconnects first. The caller ends the lease of a body; otherwise the lease has ended.
   */
  read(req: IncomingMessage, lease: BodyLease, done: BodyCallback): void {
    const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    const open = encoding === 'identity' || encoding === '' ? null : DECODERS.get(encoding);
    if (open === undefined) return refuseBody(req, done, unknownEncoding(encoding));
    if (Number(req.headers['content-length'] ?? 0) > this.#bytesMax)
      return refuseBody(req, done, tooLarge(this.#bytesMax));
    const decoded: BodyCallback = (error, body) => {
      if (error) done(error, NOTHING);
      else
        void this.#decoding
          .enter(lease.key.name, lease.client?.name)
          .then((turn) => this.#decode(turn, { req, lease, body, open, done }));
    };
    new BodyCollector(req, this.#bytesMax, lease, open ? decoded : done).start(true);
  }

  #decode(turn: LaneTurn, coded: EncodedBody<OpenDecoder | null>): void {
    const { req, lease, open, done } = coded;
    if (turn === 'go' && open && !req.socket.destroyed)
      return decodeWhole({ ...coded, open }, this.#bytesMax, () => this.#leave(lease));
    lease.end();
    if (turn === 'go') return this.#leave(lease);
    done(tooManyEncoded(), NOTHING);
  }

  #leave({ key, client }: BodyLease): void {
    this.#decoding.leave(key.name, client?.name);
  }
}

/**
 * Reads a request's whole body, still encoded. `done` runs once, with the body or an error; it never runs if the client
 * left first. With a body, the caller ends the lease; otherwise the lease has ended.
 */
export function readPlainBody(req: IncomingMessage, bytesMax: number, lease: BodyLease, done: BodyCallback): void {
  if (Number(req.headers['content-length'] ?? 0) > bytesMax) return refuseBody(req, done, tooLarge(bytesMax));
  const collector = new BodyCollector(req, bytesMax, lease, done);
  collector.start(true);
  collector.watch();
}

/** A complete body that is still encoded. */
interface EncodedBody<Open> {
  readonly req: IncomingMessage;
  readonly lease: BodyLease;
  readonly body: Buffer;
  readonly open: Open;
  readonly done: BodyCallback;
}

/**
 * Collects a stream into one buffer, as far as the budget allows. If the stream breaks off, its bytes are returned
 * and `done` never runs.
 */
class BodyCollector {
  readonly #from: Readable;
  readonly #bytesMax: number;
  readonly #lease: BodyLease;
  readonly #done: BodyCallback;
  readonly #pieces = new BodyPieces();
  #isOpen = true;

  constructor(from: Readable, bytesMax: number, lease: BodyLease, done: BodyCallback) {
    this.#from = from;
    this.#bytesMax = bytesMax;
    this.#lease = lease;
    this.#done = done;
  }

  /** @param watched it comes from a client, which may be too slow */
  start(watched: boolean): void {
    this.#from.on('data', (piece: Buffer) => this.#add(piece, watched));
    this.#from.on('end', () => this.#finish());
    this.#from.on('close', () => this.#close());
  }

  #add(piece: Buffer, watched: boolean): void {
    if (!this.#isOpen) return;
    const { bytes } = this.#pieces;
    const refusal = bytes + piece.length > this.#bytesMax ? tooLarge(this.#bytesMax) : this.#lease.take(piece.length);
    if (refusal) return this.#refuse(refusal);
    this.#pieces.add(piece);
    // Most bodies are one piece, whose rate need not be watched.
    if (watched && bytes > 0 && !this.#lease.isWatched) this.watch();
  }

  /** Lets the budget refuse the body for its rate. */
  watch(): void {
    this.#lease.watch((error) => this.#refuse(error));
  }

  #refuse(error: TollbookError): void {
    this.#close();
    refuseBody(this.#from, this.#done, error);
  }

  #finish(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#lease.stopWatching();
    this.#done(null, this.#pieces.take());
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#pieces.clear();
    this.#lease.end();
  }
}

/**
 * Decodes a body. Decoded bytes are taken from the budget as they come, since a small body may decode to thousands of
 * times its size.
 */
function decodeWhole({ lease, body, open, done }: EncodedBody<OpenDecoder>, bytesMax: number, over: () => void): void {
  const decoder = open();
  let isOpen = true;
  const finish: BodyCallback = (error, decoded) => {
    if (!isOpen) return;
    isOpen = false;
    if (error) lease.end();
    else lease.release(body.length);
    decoder.destroy();
    over();
    done(error, decoded);
  };
  new BodyCollector(decoder, bytesMax, lease, finish).start(false);
  decoder.on('error', () => {
    finish(new TollbookError('invalid', 'The body does not decode as its Content-Encoding says.'), NOTHING);
  });
  decoder.end(body);
}

/** Refuses a body. Node discards the rest of it once the answer is sent and the socket closes. */
function refuseBody(from: Readable, done: BodyCallback, error: TollbookError): void {
  from.resume();
  done(error, NOTHING);
}

function tooLarge(bytesMax: number): TollbookError {
  const shown = bytesMax < MIB ? `${bytesMax / KIB} KiB` : `${bytesMax / MIB} MiB`;
  return new TollbookError('too_large', `The request body is larger than ${shown}.`);
}

function tooManyEncoded(): TollbookError {
  return new TollbookError(
    'unavailable',
    'Too many compressed bodies are waiting to be decoded; try again in a moment, or send the body plain.',
  );
}

function unknownEncoding(encoding: string): TollbookError {
  return new TollbookError(
    'unsupported_media_type',
    `The gateway can't read Content-Encoding "${encoding.slice(0, 40)}"; send the body plain, or as ${[...DECODERS.keys()].join(', ')}.`,
  );
}
