import type { HeldAmount } from '../domain/limits/limit.ts';
import type { WholeAmount } from '../domain/money/money.ts';
import { counterKey } from '../leases/exchange.ts';
import type { LimitCounter } from '../limits/counter.ts';
import type { HeldStatement } from '../storage/node-amounts.ts';

/** Counters of one statement that is not complete. Others follow in the next. */
const CHANGES_MAX = 1_000;
/** Each so many statements one is complete, so that nothing stays wrong. */
const COMPLETE_EVERY = 60;

interface OpenStatement extends HeldStatement {
  readonly held: ReadonlyMap<LimitCounter, WholeAmount>;
}

/** States to other nodes what open calls of this one hold. Statements are confirmed one by one. */
export class HeldAmounts {
  /** Amounts that were confirmed last, without zeros. */
  readonly #said = new Map<LimitCounter, WholeAmount>();
  /** Statements until a complete one. */
  #untilComplete = 0;
  #isOpen = false;

  /**
   * Returns what is to be said now; null = nothing has changed, or a statement is not confirmed yet.
   * @param counters those under which calls are open
   */
  next(counters: ReadonlySet<LimitCounter>): OpenStatement | null {
    if (this.#isOpen) return null;
    const isComplete = this.#untilComplete === 0;
    this.#untilComplete -= isComplete ? 0 : 1;
    const held = isComplete ? readHeld(counters) : this.#findChanges(counters);
    if (held.size === 0 && !isComplete) return null;
    this.#isOpen = true;
    return { isComplete, held, amounts: toAmounts(held) };
  }

  /** Notes that others know what a statement says. */
  confirmed({ isComplete, held }: OpenStatement): void {
    this.#isOpen = false;
    if (isComplete) {
      this.#said.clear();
      this.#untilComplete = COMPLETE_EVERY;
    }
    for (const [counter, amount] of held) {
      this.#said.delete(counter);
      if (amount > 0) this.#said.set(counter, amount);
    }
  }

  /** Others may not know what a statement says. */
  failed(): void {
    this.#isOpen = false;
    this.restate();
  }

  /** Others may have forgotten what was said: all is said again. */
  restate(): void {
    this.#untilComplete = 0;
  }

  /** Returns the counters that hold another amount than was said. The longest unchanged come first. */
  #findChanges(counters: ReadonlySet<LimitCounter>): Map<LimitCounter, WholeAmount> {
    const changes = new Map<LimitCounter, WholeAmount>();
    for (const [counter, said] of this.#said) {
      if (changes.size >= CHANGES_MAX) return changes;
      if (counter.held !== said || !counters.has(counter))
        changes.set(counter, counters.has(counter) ? counter.held : 0);
    }
    for (const counter of counters) {
      if (changes.size >= CHANGES_MAX) return changes;
      if (!this.#said.has(counter) && counter.held > 0) changes.set(counter, counter.held);
    }
    return changes;
  }
}

function readHeld(counters: ReadonlySet<LimitCounter>): Map<LimitCounter, WholeAmount> {
  return new Map(Array.from(counters, (counter) => [counter, counter.held] as const).filter(([, held]) => held > 0));
}

/** Returns one amount for each counter: one that was dropped and read again has two objects, and only the later holds. */
function toAmounts(held: ReadonlyMap<LimitCounter, WholeAmount>): HeldAmount[] {
  const amounts = new Map<string, HeldAmount>();
  for (const [counter, amount] of held) {
    const place = counter.place;
    amounts.set(counterKey(place), { ...place, held: amount });
  }
  return [...amounts.values()];
}
