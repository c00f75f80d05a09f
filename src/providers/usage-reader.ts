import { JsonPick, type PickNode } from '../lib/json/pick.ts';
import { type EventHeaders, type EventMessageSink, EventStreamSplitter } from '../lib/http/event-stream.ts';
import { MESSAGE_END } from '../lib/http/message-end.ts';
import { type SseSink, SseSplitter } from '../lib/http/sse.ts';
import type { Usage } from '../domain/usage/usage.ts';
import type { UsageReader } from './provider.ts';
import type { UsageTally } from './answer-tally.ts';
import { asErrorType, type ErrorNames } from './error-names.ts';

/** Common base of the readers: exposes the tally's values under the names of the contract. */
abstract class TallyReader implements UsageReader {
  protected readonly tally: UsageTally;
  protected readonly pick: JsonPick;

  constructor(plan: PickNode, tally: UsageTally) {
    this.tally = tally;
    this.pick = new JsonPick(plan, (slot, value) => tally.receive(slot, value));
  }

  abstract push(piece: Uint8Array): void;
  abstract end(): void;
  abstract readonly complete: boolean;

  get errored(): boolean {
    return this.tally.errored;
  }

  get early(): boolean {
    return this.tally.sawUsage && !this.complete;
  }

  get error(): ErrorNames | null {
    return this.tally.error ?? null;
  }

  get model(): string | null {
    return this.tally.model;
  }

  get responseId(): string | null {
    return this.tally.responseId;
  }

  get outputBytes(): number {
    return this.pick.measuredBytes;
  }

  usage(): Usage | null {
    // Usage that was too long to keep, or broken, is unknown. Older usage must not replace it.
    return this.pick.oversize ? null : this.tally.usage();
  }
}

/** Reads an answer that is one JSON document. */
export class DocumentReader extends TallyReader {
  #closed = false;

  push(piece: Uint8Array): void {
    this.pick.push(piece);
    if (!this.pick.complete || this.#closed) return;
    this.#closed = true;
    this.tally.closeDocument();
  }

  end(): void {
    this.tally.end();
  }

  get complete(): boolean {
    return this.pick.complete;
  }
}

/** Reads a stream that is one JSON array with an element per event. The tally gets the end of each through a slot. */
export class ArrayStreamReader extends TallyReader {
  push(piece: Uint8Array): void {
    this.pick.push(piece);
  }

  end(): void {
    this.tally.end();
  }

  get complete(): boolean {
    return this.tally.finished;
  }
}

const DONE_MARK = new TextEncoder().encode('[DONE]');

/** Reads a stream of server-sent events. The data of each is one JSON document, or the mark `[DONE]`. */
export class StreamReader extends TallyReader implements SseSink {
  readonly #sse = new SseSplitter(this);
  /** Bytes of the mark that the event's data matches so far; −1 = it differs. */
  #matched = 0;
  #done = false;
  /** Data bytes of the current text event, and of text events so far. */
  #textBytes = 0;
  #outputBytes = 0;

  push(piece: Uint8Array): void {
    this.#sse.push(piece);
  }

  override get outputBytes(): number {
    return super.outputBytes + this.#outputBytes;
  }

  end(): void {
    this.#sse.end();
    this.tally.end();
  }

  get complete(): boolean {
    return this.#done || this.tally.finished;
  }

  data(bytes: Uint8Array, start: number, end: number): void {
    if (this.#sse.name === this.tally.textEvent?.name) {
      this.#textBytes += end - start;
      return;
    }
    if (this.#matched >= 0) this.#match(bytes, start, end);
    if (this.pick.complete) return;
    this.pick.push(bytes, start, end);
    if (this.pick.complete) this.tally.closeDocument();
  }

  dispatch(name: string, _at: number): void {
    if (this.#textBytes > 0) {
      this.#outputBytes += Math.max(0, this.#textBytes - (this.tally.textEvent?.aroundBytes ?? 0));
      this.#textBytes = 0;
    }
    this.tally.endEvent(name);
    this.pick.reset();
    this.#matched = 0;
  }

  #match(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; at++) {
      if (bytes[at] !== DONE_MARK[this.#matched]) {
        this.#matched = -1;
        return;
      }
      this.#matched++;
    }
    if (this.#matched === DONE_MARK.length) this.#done = true;
  }
}

/** Reads a stream of WebSocket messages. Each is one JSON document with an end mark behind it. */
export class MessageReader extends TallyReader {
  push(piece: Uint8Array): void {
    let from = 0;
    for (let end = piece.indexOf(MESSAGE_END); end >= 0; end = piece.indexOf(MESSAGE_END, from)) {
      this.pick.push(piece, from, end);
      this.#endMessage();
      from = end + 1;
    }
    this.pick.push(piece, from);
  }

  end(): void {
    this.tally.end();
  }

  get complete(): boolean {
    return this.tally.finished;
  }

  #endMessage(): void {
    if (this.pick.complete) this.tally.closeDocument();
    this.tally.endEvent('');
    this.pick.reset();
  }
}

/** Reads a stream of AWS event messages, each with one JSON document, or with an error. */
export class EventMessageReader extends TallyReader implements EventMessageSink {
  readonly #splitter = new EventStreamSplitter(this);
  readonly #readDocument: (payload: Uint8Array) => Uint8Array | null;
  #error: ErrorNames | null = null;

  /** @param readDocument returns the JSON document in a payload; null = it has none */
  constructor(plan: PickNode, tally: UsageTally, readDocument: (payload: Uint8Array) => Uint8Array | null) {
    super(plan, tally);
    this.#readDocument = readDocument;
  }

  push(piece: Uint8Array): void {
    this.#splitter.push(piece);
  }

  end(): void {
    this.tally.end();
  }

  get complete(): boolean {
    return this.tally.finished;
  }

  override get errored(): boolean {
    return this.#error !== null || super.errored;
  }

  override get error(): ErrorNames | null {
    return this.#error ?? super.error;
  }

  override usage(): Usage | null {
    // Later usage may be in what was not read.
    return this.#splitter.broken ? null : super.usage();
  }

  message(headers: EventHeaders, payload: Uint8Array): void {
    if (headers.get(':message-type') !== 'event') {
      const code = headers.get(':exception-type') ?? headers.get(':error-code') ?? 'error';
      this.#error = { code, type: asErrorType(code) };
      return;
    }
    const document = this.#readDocument(payload);
    if (document === null) return;
    this.pick.push(document);
    if (this.pick.complete) this.tally.closeDocument();
    this.tally.endEvent('');
    this.pick.reset();
  }
}
