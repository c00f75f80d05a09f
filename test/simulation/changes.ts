import { placeKey, type CounterPlace, type TrueCall } from './true-call.ts';

/** What a call counts at some moment. */
interface Counts extends Pick<TrueCall, 'counted' | 'uncertain'> {
  readonly isReleased?: boolean;
}

/** What one call adds to, or takes from, one place. */
export interface Change {
  readonly call: TrueCall;
  readonly place: CounterPlace;
  readonly counted: number;
  readonly uncertain: number;
}

/** All that a call counts in a place, by now or as it is said. */
export function placeChange(call: TrueCall, place: CounterPlace, by: Counts = call): Change {
  const isReleased = by.isReleased ?? call.released.has(placeKey(place));
  const uncertain = call.uncertainIn(place.unit, by);
  const counted = call.countedIn(place.unit, by);
  return { call, place, counted: isReleased ? counted - uncertain : counted, uncertain: isReleased ? 0 : uncertain };
}
