/**
 * Divides a whole amount in proportion to weights, to the last unit: each gets its share rounded down, and what is left
 * goes by one to those that lost most. Of equal ones the first gets it. Weights are not negative.
 */
export function splitAmount(amount: bigint, weights: readonly bigint[]): bigint[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  if (whole === 0n) return weights.map(() => 0n);
  const isNegative = amount < 0n;
  const size = isNegative ? -amount : amount;
  const shares = weights.map((weight) => (size * weight) / whole);
  let left = size - shares.reduce((sum, share) => sum + share, 0n);
  const lost = weights.map((weight, index) => ({ index, rest: (size * weight) % whole }));
  lost.sort((a, b) => (a.rest === b.rest ? a.index - b.index : a.rest > b.rest ? -1 : 1));
  for (const { index } of lost) {
    if (left === 0n) break;
    shares[index] = (shares[index] ?? 0n) + 1n;
    left -= 1n;
  }
  return isNegative ? shares.map((share) => -share) : shares;
}
