import type { Change } from './changes.ts';
import { placeKey } from './true-call.ts';

/** What is so of one counter, in its limit's unit. */
interface Tally {
  /** As memory must have it. */
  counted: number;
  uncertain: number;
  /** What the calls of memory that are over were charged. */
  billed: number;
  /** The highest amount that its limit had when a call was admitted. */
  most: number;
  /** By how much it may pass that since something was injected, … */
  beyond: number;
  /** … and stay behind the bill. */
  behind: number;
}

const NOTHING: Readonly<Tally> = { counted: 0, uncertain: 0, billed: 0, most: 0, beyond: 0, behind: 0 };

/** Of all counters, by the key of their places. */
export class Tallies {
  readonly #tallies = new Map<string, Tally>();

  of(key: string): Readonly<Tally> {
    return this.#tallies.get(key) ?? NOTHING;
  }

  keys(): Iterable<string> {
    return this.#tallies.keys();
  }

  change({ call, place, counted, uncertain }: Change, isBilled: boolean): void {
    const tally = this.#at(placeKey(place));
    tally.counted += counted;
    tally.uncertain += uncertain;
    if (isBilled) tally.billed += call.billIn(place.unit, counted);
  }

  admittedAt(key: string, amount: number): void {
    const tally = this.#at(key);
    tally.most = Math.max(tally.most, amount);
  }

  mayPass(key: string, by: number): void {
    this.#at(key).beyond += Math.max(0, by);
  }

  mayStayBehind(key: string, by: number): void {
    this.#at(key).behind += Math.max(0, by);
  }

  /** Another process begins, with an empty memory. */
  forget(): void {
    for (const tally of this.#tallies.values()) [tally.counted, tally.uncertain, tally.billed] = [0, 0, 0];
  }

  #at(key: string): Tally {
    let tally = this.#tallies.get(key);
    if (!tally) this.#tallies.set(key, (tally = { ...NOTHING }));
    return tally;
  }
}
