import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { TollbookError } from '../../domain/errors.ts';
import { NO_PLACE } from '../../lib/concurrency/slots.ts';
import { isSpace } from '../../lib/json/bytes.ts';
import { LineSplitter } from '../../lib/http/line-splitter.ts';
import type { ConnectionLease } from './upstream.ts';

/** Longest line of an input file. */
export const BATCH_LINE_BYTES_MAX = 8 * 1_048_576;
const OK = 200;

export interface BatchInputParts {
  /** Uptime at which it is ended. */
  readonly until: number;
  readonly connection: Pick<ConnectionLease, 'end'>;
  /** Name of the provider, for errors. */
  readonly provider: string;
  /** Reads a request, and yields where other calls may run. Throws its refusal. */
  readonly readLine: (line: Uint8Array) => Generator<undefined, void>;
  /** Runs once, however it ends. */
  readonly over: () => void;
  /** Runs once after `over`: all lines are read, or the batch is refused. Never after `leave`. */
  readonly done: (error: unknown) => void;
}

/** Downloads the input file of a batch from the provider, and reads its requests line by line. No other bytes of it are kept. */
export class BatchInput implements Dispatcher.DispatchHandler {
  place = NO_PLACE;
  readonly #parts: BatchInputParts;
  readonly #lines = new LineSplitter(BATCH_LINE_BYTES_MAX);
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  /** A line is being read, in several turns. */
  #isReading = false;
  /** The answer has ended, and then its last line was begun. */
  #hasEnded = false;
  #isLast = false;

  constructor(parts: BatchInputParts) {
    this.#parts = parts;
  }

  sweep(uptime: number): void {
    if (uptime >= this.#parts.until) this.#end(this.#unread('did not send the input file in time'));
  }

  /** Gives up because the client disconnected. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller?.abort(new Error('the client left'));
    this.#parts.over();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('the call is over'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < OK || this.#isOver) return;
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') this.#end(this.#unread(`sent the input file as ${encoding}`));
    else if (status !== OK) this.#end(this.#refused(status));
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (!this.#isOver) this.#advance(this.#readAll(this.#lines.push(piece)));
  }

  onResponseEnd(): void {
    this.#parts.connection.end();
    this.#hasEnded = true;
    if (!this.#isOver && !this.#isReading) this.#readLast();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#parts.connection.end();
    this.#end(this.#unread(`could not be reached (${(error as NodeJS.ErrnoException).code ?? error.name})`));
  }

  /** Reads lines until one takes long. Then other calls have their turn, and the provider waits. */
  #advance(slices: Generator<undefined, void>): void {
    try {
      if (this.#isOver) return;
      this.#isReading = slices.next().done !== true;
      if (this.#isReading) {
        this.#controller?.pause();
        setImmediate(() => this.#advance(slices));
      } else if (this.#controller?.paused) this.#controller.resume();
      if (this.#hasEnded && !this.#isReading) this.#readLast();
    } catch (error) {
      this.#end(error instanceof RangeError ? tooLongLine() : error);
    }
  }

  #readLast(): void {
    if (this.#isLast) return this.#end(null);
    this.#isLast = true;
    this.#advance(this.#readAll([this.#lines.end()]));
  }

  *#readAll(lines: Iterable<Buffer>): Generator<undefined, void> {
    for (const line of lines) if (!line.every(isSpace)) yield* this.#parts.readLine(line);
  }

  #end(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (error !== null) this.#controller?.abort(new Error('the batch is refused'));
    this.#parts.over();
    this.#parts.done(error);
  }

  #refused(status: number): TollbookError {
    const what = `${this.#parts.provider} answered ${status} when the gateway asked for the input file`;
    return status < 500
      ? new TollbookError('invalid', `${what}, so the batch was not sent. Upload the file again.`, 'input_file_id')
      : new TollbookError('upstream_unreachable', `${what}.`);
  }

  #unread(what: string): TollbookError {
    return new TollbookError('upstream_unreachable', `${this.#parts.provider} ${what}, so the batch was not sent.`);
  }
}

function tooLongLine(): TollbookError {
  return new TollbookError('invalid', `A line of the input file has more than ${BATCH_LINE_BYTES_MAX} bytes.`);
}
