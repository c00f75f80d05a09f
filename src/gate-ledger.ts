import type { LimitSnapshot, LimitToBook, LimitToGate } from './book/limit-messages.ts';
import type { Alert } from './core/alert.ts';
import type { CallBegin, CallEnd } from './core/call.ts';
import type { Period } from './core/period.ts';
import { clockAlert, isExhausted, overrunAlert, thresholdAlert } from './ledger/alerts.ts';
import type { Blocked } from './ledger/blocked.ts';
import { LedgerClock } from './ledger/ledger-clock.ts';
import { Ledger } from './ledger/ledger.ts';
import type { Clock, Uptime } from './lib/clock.ts';

/** Values of one limit that an answer tells. */
const STANDINGS_PER_LIMIT_MAX = 100;

export interface GateLedgerParts {
  readonly snapshot: LimitSnapshot;
  readonly wall: Clock;
  readonly uptime: Uptime;
  /** The journal's last `end_seq`. */
  readonly endSeq: () => number;
  readonly send: (message: LimitToBook) => void;
  readonly raise: (alert: Alert) => void;
  /** Told alerts that concern the whole installation. */
  readonly mainWorkspace: string;
}

/** The ledger in its place: what the book says goes in, what it has to tell goes out. */
export class GateLedger {
  readonly ledger: Ledger;
  readonly #clock: LedgerClock;
  readonly #parts: GateLedgerParts;
  /** Changes of limits in their order; new counters wait until no end is on its way to the journal. */
  #changes: LimitToGate[] = [];

  constructor(parts: GateLedgerParts) {
    const { snapshot, wall, uptime, raise, mainWorkspace } = parts;
    this.#parts = parts;
    this.#clock = new LedgerClock({
      wall,
      uptime,
      from: snapshot.newestCallAt,
      stepped: (step, ms) => raise(clockAlert(step, ms, mainWorkspace, wall())),
    });
    this.ledger = new Ledger({
      crossed: (standing, threshold) => raise(thresholdAlert(standing, threshold, this.now())),
      overran: (hold, end) => raise(overrunAlert(hold, end, this.now())),
    });
    this.ledger.load(snapshot.limits, snapshot.counters, this.now());
  }

  /** Ledger time. */
  readonly now = (): number => this.#clock.now();

  /** A call that a dead process left open. Before `open`. */
  recover({ touched }: CallBegin, end: CallEnd): void {
    this.ledger.recover(touched, end);
  }

  /** All that the journal had is counted: limits whose past is still to be added up are told to the book. */
  open(): void {
    const at = this.now();
    for (const limit of this.#parts.snapshot.limits)
      if (!limit.countsPast) this.#installed(limit.counter, this.ledger.windowOf(limit.id, at));
  }

  hear(message: LimitToGate): void {
    if (message.type === 'ask-limits') {
      const { question, workspaceId } = message;
      const standings = this.ledger.standings(workspaceId, this.now(), STANDINGS_PER_LIMIT_MAX);
      return this.#parts.send({ type: 'limits', question, standings });
    }
    if (this.#changes.push(message) === 1) setImmediate(this.#change);
  }

  /** A call was refused because a limit has no room for it in this window. */
  exhausted({ counter }: Blocked, now: number): void {
    const standing = counter.standing(now);
    if (counter.told >= 100 || !isExhausted(standing)) return;
    counter.told = 100;
    this.#parts.raise(thresholdAlert(standing, 100, now));
  }

  readonly #change = (): void => {
    if (this.ledger.endsOnTheirWay > 0) return void setImmediate(this.#change);
    const changes = this.#changes;
    this.#changes = [];
    const now = this.now();
    for (const change of changes) this.#apply(change, now);
  };

  #apply(change: LimitToGate, now: number): void {
    switch (change.type) {
      case 'limit': {
        const window = this.ledger.put(change.limit, now);
        if (window && !change.limit.countsPast) this.#installed(change.limit.counter, window);
        return;
      }
      case 'limit-removed':
        return this.ledger.remove(change.id, now);
      case 'limit-past':
        return this.ledger.addPast(change.counter, change.counters, now);
      case 'counters-moved':
        return this.ledger.move(change.moves, now);
      case 'ask-limits':
        return;
      default:
        change satisfies never;
    }
  }

  #installed(counter: number, window: Period | null): void {
    if (window) this.#parts.send({ type: 'limit-installed', counter, endSeq: this.#parts.endSeq(), ...window });
  }
}
