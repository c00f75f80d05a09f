/** What the service tells of as it happens. */
export const LIVE_EVENTS = ['booked', 'alert', 'limit'] as const;
export type LiveEvent = (typeof LIVE_EVENTS)[number];

/** `off`: it is tried again by itself. */
export type LiveState = 'connecting' | 'on' | 'off';

/** Pages refresh at most this often, however much happens. */
export const REFRESH_MS = 1_000;

/**
 * Whether something has happened since a stream was asked for, or before that while a page was asking for what it shows.
 * @param quietMs what the stream says of the last event; null = there was none
 * @param sinceMs since before the first question was asked
 */
export function isStale(quietMs: number | null, sinceMs: number): boolean {
  return quietMs !== null && quietMs <= sinceMs;
}

export interface LiveTimer {
  now(): number;
  /** Runs it once, after so many milliseconds; returns how to call it off. */
  after(ms: number, run: () => void): () => void;
}

/**
 * Gathers events and passes them on together: the first at once, what follows at most once per `REFRESH_MS`, the last
 * one always.
 */
export class LiveBatcher {
  readonly #timer: LiveTimer;
  readonly #tell: (events: ReadonlySet<LiveEvent>) => void;
  readonly #waiting = new Set<LiveEvent>();
  #toldAt = -Infinity;
  #callOff: (() => void) | null = null;

  constructor(timer: LiveTimer, tell: (events: ReadonlySet<LiveEvent>) => void) {
    this.#timer = timer;
    this.#tell = tell;
  }

  hear(...events: readonly LiveEvent[]): void {
    for (const event of events) this.#waiting.add(event);
    if (this.#callOff) return;
    const wait = this.#toldAt + REFRESH_MS - this.#timer.now();
    if (wait <= 0) this.#pass();
    else this.#callOff = this.#timer.after(wait, () => this.#pass());
  }

  close(): void {
    this.#callOff?.();
    this.#callOff = null;
  }

  #pass(): void {
    this.#callOff = null;
    this.#toldAt = this.#timer.now();
    const events = new Set(this.#waiting);
    this.#waiting.clear();
    this.#tell(events);
  }
}
