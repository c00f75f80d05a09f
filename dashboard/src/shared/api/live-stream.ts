import type { LiveEvents } from '../../../../src/contract/live.ts';
import { LIVE_EVENTS, type LiveEvent, type LiveState, type LiveTimer } from './live.ts';

/** What is used of an `EventSource`. */
export interface EventStream {
  readonly readyState: number;
  addEventListener(name: string, listener: (event: Event) => void): void;
  close(): void;
}

interface LiveStreamOptions {
  open(): EventStream;
  readonly timer: LiveTimer;
  /** Acts once no change is under way; returns how to call it off. */
  whenDone(act: () => void): () => void;
  /** @param quietMs as `open` of the contract has it @param isFirst nothing was heard before */
  opened(quietMs: number | null, isFirst: boolean): void;
  heard(event: LiveEvent): void;
  changed(state: LiveState): void;
  /** Something else than a stream was answered. */
  refused(): void;
}

/** Of an `EventSource` that got such an answer: it gives up. After a connection that broke it tries again by itself. */
const CLOSED = 2;
/** A stream that ends is opened again at once, but one that never lasts not more often than this. */
export const AGAIN_MS_MIN = 1_000;
/** Until a stream is opened again that was refused: the first time a session may just have become another. */
export const REOPEN_FIRST_MS = 1_000;
export const REOPEN_MS = 10_000;

/** A stream of events that goes on however often it ends. */
export class LiveStream {
  readonly #options: LiveStreamOptions;
  #source: EventStream;
  #callOff: () => void = () => undefined;
  #isFirst = true;
  #againAt = -Infinity;
  #refusals = 0;

  constructor(options: LiveStreamOptions) {
    this.#options = options;
    this.#source = this.#open();
  }

  close(): void {
    this.#callOff();
    this.#source.close();
  }

  #open(): EventStream {
    const { open, timer, heard, changed } = this.#options;
    const source = open();
    let isOpen = false;
    source.addEventListener('open', (event) => {
      isOpen = true;
      this.#refusals = 0;
      changed('on');
      // The service's own event of that name; the browser has one too.
      if (event instanceof MessageEvent) this.#opened(String(event.data));
    });
    source.addEventListener('error', () => {
      const mayReopen = isOpen && timer.now() - this.#againAt >= AGAIN_MS_MIN;
      isOpen = false;
      if (source.readyState === CLOSED) this.#refused();
      else if (mayReopen) this.#again();
      else changed('off');
    });
    for (const event of LIVE_EVENTS) source.addEventListener(event, () => heard(event));
    return source;
  }

  #opened(data: string): void {
    const { quietMs } = JSON.parse(data) as LiveEvents['open'];
    this.#options.opened(quietMs, this.#isFirst);
    this.#isFirst = false;
  }

  /** A change that is under way may bring the session that the next stream is of: a new password does. */
  #again(): void {
    const { timer, changed, whenDone } = this.#options;
    this.#source.close();
    this.#againAt = timer.now();
    changed('connecting');
    this.#callOff = whenDone(() => void (this.#source = this.#open()));
  }

  #refused(): void {
    const { timer, changed, refused } = this.#options;
    changed('off');
    refused();
    this.#refusals += 1;
    const wait = this.#refusals === 1 ? REOPEN_FIRST_MS : REOPEN_MS;
    this.#callOff = timer.after(wait, () => void (this.#source = this.#open()));
  }
}
