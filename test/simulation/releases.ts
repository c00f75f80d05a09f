import { type Change, placeChange } from './changes.ts';
import { placeKey, type CounterPlace, type TrueCall } from './true-call.ts';
import type { UncertainRelease } from '../../src/storage/counter-store.ts';

/** Which uncertain amounts count no more, since their limit releases them after a while. */
export class Releases {
  /** Up to which end, by the number of the limit's counters. */
  readonly #until = new Map<number, number>();
  /**
   * Counters of windows that were over by the wall clock when a later one was released: the book takes what ended before
   * as released there too, and once it is corrected they hold more than they should, to the end of their days.
   */
  readonly tooHigh = new Set<string>();

  /** What uncertain calls of its workspace hold, that ended before an instant, is taken out of a counter. */
  release(calls: Iterable<TrueCall>, { counter, windowStart, until }: UncertainRelease): Change[] {
    const from = Math.max(this.#until.get(counter) ?? 0, windowStart);
    const changes: Change[] = [];
    for (const call of calls) {
      const endedAt = call.end?.endedAt ?? 0;
      if (!call.isShipped || !call.uncertain || endedAt < from || endedAt >= until) continue;
      this.#until.set(counter, Math.max(this.#until.get(counter) ?? 0, endedAt + 1));
      for (const place of call.recorded.values())
        if (place.counter === counter && place.windowStart === windowStart) changes.push(releaseAt(call, place));
    }
    return changes;
  }

  /** Where the uncertain part of a call that is booked now was released before. */
  recorded(call: TrueCall): Change[] {
    if (!call.uncertain) return [];
    const places = [...call.recorded.values()].filter((place) => this.#isDue(call, place));
    return places.map((place) => releaseAt(call, place));
  }

  /** A past is counted whole. */
  countPast(counter: number): void {
    this.#until.delete(counter);
  }

  corrected(call: TrueCall): void {
    for (const [key, place] of call.recorded) if (this.#isPassedOver(call, place)) this.tooHigh.add(key);
  }

  /** The book takes it as released, and its counter was not moved. */
  #isPassedOver(call: TrueCall, place: CounterPlace): boolean {
    return this.#isDue(call, place) && !call.released.has(placeKey(place));
  }

  #isDue({ end }: TrueCall, { counter }: CounterPlace): boolean {
    return (end?.endedAt ?? 0) < (this.#until.get(counter) ?? 0);
  }
}

function releaseAt(call: TrueCall, place: CounterPlace): Change {
  const { counted, uncertain } = placeChange(call, place);
  call.released.add(placeKey(place));
  return { call, place, counted: placeChange(call, place).counted - counted, uncertain: -uncertain };
}
