import type { LiveEvents } from '../../../../src/contract/live.ts';
import { LIVE_EVENTS, type LiveEvent, type LiveState, type LiveTimer } from './live.ts';

/** The used part of `EventSource`. */
export interface EventStream {
  readonly readyState: number;
  addEventListener(name: string, listener: (event: Event) => void): void;
  close(): void;
}

interface LiveStreamOptions {
  open(): EventStream;
  readonly timer: LiveTimer;
  /** Runs `act` when no mutation is running; returns a function that cancels it. */
  whenDone(act: () => void): () => void;
  /** @param quietMs as in the contract's `open` event @param isFirst true for the first connection */
  opened(quietMs: number | null, isFirst: boolean): void;
  onEvent(event: LiveEvent): void;
  changed(state: LiveState): void;
  /** The response was not an event stream. */
  refused(): void;
}

/** State of an `EventSource` that gave up after such a response. It retries broken connections by itself. */
const CLOSED = 2;
/** Minimum time between immediate reconnects. */
export const AGAIN_MS_MIN = 1_000;
/** Wait before reconnecting after a refusal; short the first time, because the session may just have changed. */
export const REOPEN_FIRST_MS = 1_000;
export const REOPEN_MS = 10_000;

/** An event stream that reconnects whenever it ends. */
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
    const { open, timer, onEvent: heard, changed } = this.#options;
    const source = open();
    let isOpen = false;
    source.addEventListener('open', (event) => {
      isOpen = true;
      this.#refusals = 0;
      changed('on');
      // The browser also sends an `open` event; only that of the service is a MessageEvent.
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
    const { sinceLastEventMs } = JSON.parse(data) as LiveEvents['open'];
    this.#options.opened(sinceLastEventMs, this.#isFirst);
    this.#isFirst = false;
  }

  /** Reconnects after running mutations, because one may change the session: a new password does. */
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
