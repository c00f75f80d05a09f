/** Order statistics. Nothing here is moved far by a few wild values. */

/** With it, the median absolute deviation of a normal sample is its standard deviation. */
const MAD_SCALE = 1.4826;

export function sortAscending(values: Iterable<number>): Float64Array {
  return Float64Array.from(values).toSorted();
}

/** Returns a quantile of ascending values, interpolated between neighbors; 0 without values. */
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

/** Days at most this far apart are one incident. */
const INCIDENT_DAYS = 2;
const RECURRENT_RANK = 3;

/**
 * The third highest of days that are apart: what came thrice may come again, and is no news. 0 = there are fewer.
 *
 * @param highest the highest value of each day, oldest first
 */
export function recurrentHigh(highest: readonly number[]): number {
  const order = highest.map((value, day) => ({ value, day })).toSorted((a, b) => b.value - a.value);
  const chosen: number[] = [];
  for (const { value, day } of order) {
    if (chosen.some((other) => Math.abs(other - day) <= INCIDENT_DAYS)) continue;
    chosen.push(day);
    if (chosen.length === RECURRENT_RANK) return value;
  }
  return 0;
}

/** Terms of a sum that are worth adding. */
const TERMS_MAX = 5_000;
const NEGLIGIBLE = 1e-12;

/** The chance of at least `hits` in `trials` whose own probability is Beta(alpha, beta) distributed. */
export function betaBinomialTail(hits: number, trials: number, alpha: number, beta: number): number {
  if (hits <= 0) return 1;
  let term = Math.exp(logChoose(trials, hits) + logBeta(hits + alpha, trials - hits + beta) - logBeta(alpha, beta));
  let sum = 0;
  for (let k = hits, terms = 0; k <= trials && terms < TERMS_MAX; k += 1, terms += 1) {
    sum += term;
    if (term < sum * NEGLIGIBLE) break;
    term *= ((trials - k) * (k + alpha)) / ((k + 1) * (trials - k - 1 + beta));
  }
  return Math.min(1, sum);
}

function logChoose(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** Stirling's series, after the argument was raised to where it is exact to some 12 digits. */
export function logGamma(value: number): number {
  let [shift, x] = [0, value];
  while (x < 10) {
    shift += Math.log(x);
    x += 1;
  }
  const inverse = 1 / (x * x);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / x;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift;
}
