import type { CounterPlace } from '../domain/limits/limit.ts';
import { addWhole } from '../domain/money/money.ts';
import type { LimitCounter } from '../limits/counter.ts';
import type { UnshippedUse } from '../limits/shared-counters.ts';

/** Counters that the ledger is asked for at a time. */
const PLACES_MAX = 500;
/** A counter is asked for so often after a call ended under it: calls of other nodes may be recorded later. */
const ROUNDS = 5;
/** Counters with recent calls. Beyond that, the oldest is forgotten: its total may lack calls that the ledger lacks. */
const RECENT_MAX = 100_000;
/** Ends of one counter that are kept apart until the ledger has them. Beyond that, the last ones are merged. */
const UNSHIPPED_MAX = 64;

interface EndedUse extends UnshippedUse {
  /** The call is at or before this position of the journal. */
  readonly position: number;
}

interface RecentUse {
  unshipped: EndedUse[];
  rounds: number;
}

const NOTHING: UnshippedUse = { counted: 0, uncertain: 0 };

/** Calls that ended on this node lately, by counter, and the counters that the ledger is to be asked for. */
export class RecentUses {
  readonly #position: () => number;
  readonly #recent = new Map<LimitCounter, RecentUse>();
  /** Counters without recent calls that are still to be asked for in this round. */
  #others: Iterator<CounterPlace, unknown> | null = null;
  /** Last position of the journal that the ledger has. */
  #mark = 0;

  /** @param position last end in the journal */
  constructor(position: () => number) {
    this.#position = position;
  }

  ended(counter: LimitCounter, counted: number, uncertain: number): void {
    // The ledger does not count concurrent calls.
    if (counter.limit.unit === 'concurrency') return;
    const recent = this.#recent.get(counter) ?? this.#add(counter);
    recent.rounds = ROUNDS;
    const use = { position: this.#position(), counted, uncertain };
    const last = recent.unshipped.at(-1);
    if (last && recent.unshipped.length >= UNSHIPPED_MAX)
      recent.unshipped.splice(-1, 1, { position: use.position, ...addUse(last, use) });
    else recent.unshipped.push(use);
  }

  /** Learns the last position of the journal that the ledger has. */
  shippedTo(mark: number): void {
    this.#mark = mark;
  }

  /** Returns what ended calls of this node count that the ledger does not have. */
  unshipped(counter: LimitCounter): UnshippedUse {
    const recent = this.#recent.get(counter);
    if (!recent) return NOTHING;
    this.#dropShipped(recent);
    if (recent.unshipped.length === 0 && recent.rounds <= 0) this.#recent.delete(counter);
    return recent.unshipped.reduce(addUse, NOTHING);
  }

  /** Returns the counters to ask for: those with recent calls first, and then a part of the others. */
  next(others: () => Iterator<CounterPlace, unknown>): CounterPlace[] {
    const places: CounterPlace[] = [];
    for (const [counter, recent] of [...this.#recent].slice(0, PLACES_MAX)) {
      recent.rounds -= 1;
      // No total is set for a counter whose window has ended, so that nothing else drops them.
      this.#dropShipped(recent);
      // To the end: in the next round, the others are first.
      this.#recent.delete(counter);
      if (recent.rounds >= 0 || recent.unshipped.length > 0) this.#recent.set(counter, recent);
      places.push(counter.place);
    }
    this.#others ??= others();
    while (places.length < PLACES_MAX) {
      const next: IteratorResult<CounterPlace, unknown> = this.#others.next();
      if (next.done) {
        this.#others = null;
        break;
      }
      places.push(next.value);
    }
    return places;
  }

  #add(counter: LimitCounter): RecentUse {
    const [oldest] = this.#recent.keys();
    if (oldest && this.#recent.size >= RECENT_MAX) this.#recent.delete(oldest);
    const added: RecentUse = { unshipped: [], rounds: ROUNDS };
    this.#recent.set(counter, added);
    return added;
  }

  #dropShipped(recent: RecentUse): void {
    recent.unshipped = recent.unshipped.filter(({ position }) => position > this.#mark);
  }
}

function addUse(sum: UnshippedUse, use: UnshippedUse): UnshippedUse {
  return { counted: addWhole(sum.counted, use.counted), uncertain: addWhole(sum.uncertain, use.uncertain) };
}
