import fc from 'fast-check';
import { expect } from 'vitest';
import type { Usage } from '../../domain/usage/usage.ts';
import type { ResponseHead, Provider, RequestFacts, UsageReader } from '../provider.ts';

/** Everything that a reader finds in an answer. */
export interface ResponseReading {
  readonly complete: boolean;
  readonly errored: boolean;
  readonly model: string | null;
  readonly responseId: string | null;
  readonly outputBytes: number;
  readonly usage: Usage | null;
  /** Bytes sent to the client; null = the pieces unchanged. */
  readonly output: string | null;
}

/** Returns what a provider reads from a request. */
export function readFacts(provider: Provider, rest: string, body: unknown): RequestFacts {
  const route = provider.route('POST', rest);
  if (route.kind !== 'inference') throw new Error(`${rest} is no inference`);
  return route.readRequest(new TextEncoder().encode(JSON.stringify(body)));
}

export function answerHead(contentType: string, headers: ResponseHead['headers'] = {}): ResponseHead {
  return { status: 200, contentType, headers };
}

/** Replays a body whole, byte by byte and split at random places. All must be read the same way. */
export function replay(open: () => UsageReader, body: string): ResponseReading {
  return replayBytes(open, new TextEncoder().encode(body));
}

/** Does the same with a body that is no text. */
export function replayBytes(open: () => UsageReader, body: Uint8Array): ResponseReading {
  // Slices of a Buffer would share its memory.
  const bytes = Uint8Array.from(body);
  const whole = read(open(), [bytes]);
  expect(read(open(), cut(bytes, [...bytes.keys()]))).toEqual(whole);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (places) => {
      expect(read(open(), cut(bytes, places))).toEqual(whole);
    }),
    { numRuns: 40 },
  );
  return whole;
}

export function read(reader: UsageReader, pieces: Iterable<Uint8Array>): ResponseReading {
  let output = '';
  const take = (): void => {
    for (const part of reader.takeOutput?.() ?? []) output += new TextDecoder('latin1').decode(part);
  };
  for (const piece of pieces) {
    // The piece is overwritten afterwards, to notice a reader that keeps it.
    const lent = piece.slice();
    reader.push(lent);
    take();
    lent.fill(0x58);
  }
  reader.end();
  take();
  return {
    complete: reader.complete,
    errored: reader.errored,
    model: reader.model,
    responseId: reader.responseId,
    outputBytes: reader.outputBytes,
    usage: reader.usage(),
    output: reader.takeOutput ? output : null,
  };
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places, bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end));
}

/** Returns a stream event that has its type as its name. */
export function typedEvent(data: { readonly type: string; readonly [name: string]: unknown }): string {
  return sse(data, data.type);
}

/** Returns a stream event as providers write it. */
export function sse(data: unknown, name?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}
