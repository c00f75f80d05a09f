import type { CounterPlace } from '../../src/domain/limits/limit.ts';
import { counterKey } from '../../src/leases/exchange.ts';
import { must } from '../simulation/violation.ts';

/** What really happened under one counter. */
export interface Tally {
  readonly place: CounterPlace;
  /** Sum of the needs of open calls. */
  open: number;
  /** What ended calls used, and corrections. */
  spent: number;
  /** Sum of the corrections. */
  corrected: number;
  /** The highest amount that the limit had. */
  most: number;
  /** The limit's amount now. */
  amount: number;
  /** Beyond the amount by rights: overruns, corrections, calls older than their limit. */
  beyond: number;
  /** Grants that a failover lost or an operator freed, and that the authority doesn't know; by node. */
  readonly forgotten: Map<string, number>;
  /** Nodes could use up to this after a grant that was made while the authority could not know `forgotten`. */
  reach: number;
  /** The same for grants since the amount was last set. */
  recentReach: number;
  /** What an operator declared to be used by a node that is gone. */
  declared: number;
  /** An amount that is in force everywhere; null = none is known to be. */
  inForce: number | null;
}

const NOTHING = { open: 0, spent: 0, corrected: 0, beyond: 0, reach: 0, recentReach: 0, declared: 0 };

/** Records what nodes really did, and never asks the authority. */
export class Truth {
  readonly #tallies = new Map<string, Tally>();
  readonly #amounts = new Map<number, { most: number; amount: number; inForce: number | null }>();

  all(): IterableIterator<[string, Tally]> {
    return this.#tallies.entries();
  }

  tally(place: CounterPlace): Tally {
    const key = counterKey(place);
    let tally = this.#tallies.get(key);
    if (!tally) {
      const amounts = this.#amounts.get(place.counter) ?? { most: 0, amount: 0, inForce: null };
      tally = { place, ...amounts, ...NOTHING, forgotten: new Map() };
      this.#tallies.set(key, tally);
    }
    return tally;
  }

  /** The amount of a limit is another one. */
  setAmount(counter: number, amount: number): void {
    const most = Math.max(amount, this.#amounts.get(counter)?.most ?? 0);
    this.#amounts.set(counter, { most, amount, inForce: null });
    for (const tally of this.#tallies.values()) {
      if (tally.place.counter !== counter) continue;
      Object.assign(tally, { amount, most: Math.max(amount, tally.most), inForce: null, recentReach: 0 });
    }
  }

  /** The database answered that the amount is in force: no node admits a call beyond it from now on. */
  inForce(counter: number, amount: number): void {
    const amounts = this.#amounts.get(counter);
    if (amounts) amounts.inForce = amount;
    for (const tally of this.#tallies.values()) if (tally.place.counter === counter) tally.inForce = amount;
  }

  admitted(place: CounterPlace, need: number): void {
    const tally = this.tally(place);
    tally.open += need;
    this.check(tally);
    const { open, spent, beyond, inForce, recentReach } = tally;
    must(
      inForce === null || open + spent <= Math.max(inForce, recentReach) + beyond,
      () => `5: ${counterKey(place)} admitted a call up to ${open + spent}; ${inForce} is in force`,
    );
  }

  /** A call that was open before its limit was created. */
  adopted(place: CounterPlace, need: number): void {
    const tally = this.tally(place);
    tally.open += need;
    tally.beyond += need;
  }

  ended(place: CounterPlace, need: number, counted: number): void {
    const tally = this.tally(place);
    tally.open -= need;
    tally.spent += counted;
    tally.beyond += Math.max(0, counted - need);
    this.check(tally);
  }

  corrected(place: CounterPlace, change: number): void {
    const tally = this.tally(place);
    tally.spent += change;
    tally.corrected += change;
    tally.beyond += Math.max(0, change);
  }

  /** The authority counts `change` more under a node's name than before; less if it forgot grants. */
  counted(place: CounterPlace, node: string, change: number): void {
    const { forgotten } = this.tally(place);
    const rest = (forgotten.get(node) ?? 0) - change;
    if (rest > 0) forgotten.set(node, rest);
    else forgotten.delete(node);
  }

  /** A node has said completely what it has. */
  stated(node: string): void {
    for (const { forgotten } of this.#tallies.values()) forgotten.delete(node);
  }

  /**
   * The authority granted an amount, so that `taken` is taken.
   * @param isExcused it could not know of this node's forgotten grants
   */
  granted(place: CounterPlace, taken: number, isExcused: (node: string) => boolean): void {
    const tally = this.tally(place);
    const forgotten = [...tally.forgotten].filter(([node]) => isExcused(node));
    if (forgotten.length === 0) return;
    const reach = forgotten.reduce((sum, [, amount]) => sum + amount, taken);
    tally.reach = Math.max(tally.reach, reach);
    tally.recentReach = Math.max(tally.recentReach, reach);
  }

  check(tally: Tally): void {
    const { place, open, spent, beyond, most, reach } = tally;
    must(
      open + spent <= Math.max(most, reach) + beyond,
      () => `1: ${counterKey(place)} has ${spent} used and ${open} held; its amount was ${most}`,
    );
  }
}
