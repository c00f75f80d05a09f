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
