/** Order statistics. Nothing here is moved far by a few wild values. */

/** Normal scores: a median absolute deviation and an upper spread of 90 % of a normal sample become its deviation. */
const MAD_SCALE = 1.4826;
const UPPER_SCALE = 1 / 1.2816;

export function sorted(values: Iterable<number>): Float64Array {
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
  return quantile(sorted(values), 0.5);
}

/** 1.4826 times the median distance from the centre. */
export function medianDeviation(values: Iterable<number>, centre: number): number {
  const distances = Float64Array.from(values);
  for (let i = 0; i < distances.length; i += 1) distances[i] = Math.abs((distances[i] ?? 0) - centre);
  return MAD_SCALE * quantile(distances.toSorted(), 0.5);
}

/** How far values reach above their median, as a deviation: what most hours of a skewed or often idle series do. */
export function upperSpread(ascending: Float64Array): number {
  const centre = quantile(ascending, 0.5);
  return Math.max(medianDeviation(ascending, centre), UPPER_SCALE * (quantile(ascending, 0.9) - centre));
}

/** The median of all slopes between two points (Theil and Sen), per step; points that are NaN are left out. */
export function medianSlope(values: readonly number[]): number {
  const slopes: number[] = [];
  values.forEach((first, i) => {
    for (let j = i + 1; j < values.length; j += 1) {
      const slope = ((values[j] ?? NaN) - first) / (j - i);
      if (!Number.isNaN(slope)) slopes.push(slope);
    }
  });
  return median(slopes);
}
