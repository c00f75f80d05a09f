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
