/** Events of the live stream. */
export const LIVE_EVENTS = ['recorded', 'refused', 'alert', 'limit'] as const;
export type LiveEvent = (typeof LIVE_EVENTS)[number];

/** `off` = disconnected, retrying. */
export type LiveState = 'connecting' | 'on' | 'off';

/** Minimum time between refreshes of a page. */
export const REFRESH_MS = 1_000;

/**
 * True if an event happened since the page started to load its data.
 * @param quietMs time since the last event; null = none
 * @param sinceMs time since the page started to load
 */
export function isStale(quietMs: number | null, sinceMs: number): boolean {
  return quietMs !== null && quietMs <= sinceMs;
}

export interface LiveTimer {
  now(): number;
  /** Runs a function once after a delay; returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Batches events: the first is passed on immediately, later ones at most once per `REFRESH_MS`, and none is lost. */
export class LiveBatcher {
  readonly #timer: LiveTimer;
  readonly #onEvents: (events: ReadonlySet<LiveEvent>) => void;
  readonly #waiting = new Set<LiveEvent>();
  #sentAt = -Infinity;
  #callOff: (() => void) | null = null;

  constructor(timer: LiveTimer, tell: (events: ReadonlySet<LiveEvent>) => void) {
    this.#timer = timer;
    this.#onEvents = tell;
  }

  hear(...events: readonly LiveEvent[]): void {
    for (const event of events) this.#waiting.add(event);
    if (this.#callOff) return;
    const wait = this.#sentAt + REFRESH_MS - this.#timer.now();
    if (wait <= 0) this.#pass();
    else this.#callOff = this.#timer.after(wait, () => this.#pass());
  }

  close(): void {
    this.#callOff?.();
    this.#callOff = null;
  }

  #pass(): void {
    this.#callOff = null;
    this.#sentAt = this.#timer.now();
    const events = new Set(this.#waiting);
    this.#waiting.clear();
    this.#onEvents(events);
  }
}
