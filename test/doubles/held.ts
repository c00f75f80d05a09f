import type { ServerResponse } from 'node:http';

/** A response that continues only when the test says so. */
export class Held {
  /** The caller's connection is closed. */
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  #turns = 0;
  #wake: (() => void) | null = null;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.closed = new Promise((resolve) => response.once('close', resolve));
    void this.closed.then(() => this.release());
  }

  /** Lets the headers, or this many writes of the body, go. */
  next(turns = 1): void {
    this.#turns += turns;
    this.#wake?.();
  }

  /** Lets everything go. */
  release(): void {
    this.next(Number.POSITIVE_INFINITY);
  }

  /** Resets the connection. */
  reset(): void {
    this.#response.socket?.resetAndDestroy();
  }

  /** For the double: waits until the test allows one more step. */
  async turn(): Promise<void> {
    if (this.#turns === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#turns -= 1;
  }
}
