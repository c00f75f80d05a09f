/** Order statistics. Nothing here is moved far by a few wild values. */

/** With it, the median absolute deviation of a normal sample is its standard deviation. */
const MAD_SCALE = 1.4826;

export function sortAscending(values: Iterable<number>): Float64Array {
  return Float64Array.from(values).toSorted();
}

/** Of ascending values, between the neighbours in proportion; 0 of none. */
export function quantile(ascending: Float64Array, part: number): number {
  if (ascending.length === 0) return 0;
  const place = part * (ascending.length - 1);
  const below = Math.floor(place);
  const low = ascending[below] ?? 0;
  return low + (place - below) * ((ascending[below + 1] ?? low) - low);
}

export function median(values: Iterable<number>): number {
  return quantile(sortAscending(values), 0.5);
}

export function mean(values: Float64Array): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** 1.4826 times the median distance from the centre. */
export function medianDeviation(values: Iterable<number>, centre: number): number {
  const distances = Float64Array.from(values);
  for (let i = 0; i < distances.length; i += 1) distances[i] = Math.abs((distances[i] ?? 0) - centre);
  return MAD_SCALE * quantile(distances.toSorted(), 0.5);
}
