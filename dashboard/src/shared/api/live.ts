/** Events of the live stream. */
export const LIVE_EVENTS = ['recorded', 'refused', 'alert', 'limit'] as const;
export type LiveEvent = (typeof LIVE_EVENTS)[number];

/** `off` = disconnected, retrying. */
export type LiveState = 'connecting' | 'on' | 'off';

/** Minimum time between refreshes of a page. */
export const REFRESH_MS = 1_000;

/**
 * True if an event happened since the page started to load its data.
 * @param sinceEventMs time since the last event; null = none
 * @param sinceLoadMs time since the page started to load
 */
export function isStale(sinceEventMs: number | null, sinceLoadMs: number): boolean {
  return sinceEventMs !== null && sinceEventMs <= sinceLoadMs;
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
  readonly #pending = new Set<LiveEvent>();
  #sentAt = -Infinity;
  #cancelTimer: (() => void) | null = null;

  constructor(timer: LiveTimer, onEvents: (events: ReadonlySet<LiveEvent>) => void) {
    this.#timer = timer;
    this.#onEvents = onEvents;
  }

  add(...events: readonly LiveEvent[]): void {
    for (const event of events) this.#pending.add(event);
    if (this.#cancelTimer) return;
    const wait = this.#sentAt + REFRESH_MS - this.#timer.now();
    if (wait <= 0) this.#flush();
    else this.#cancelTimer = this.#timer.after(wait, () => this.#flush());
  }

  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  #flush(): void {
    this.#cancelTimer = null;
    this.#sentAt = this.#timer.now();
    const events = new Set(this.#pending);
    this.#pending.clear();
    this.#onEvents(events);
  }
}
