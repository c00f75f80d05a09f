/**
 * How high the largest score of a day usually gets, so that a threshold can be set by how rarely a day may pass it.
 *
 * The logarithm of a day's largest score is taken as Gumbel distributed (scores as Fréchet distributed: heavy tailed). Its
 * two parameters come from the middle ranks, so that neither idle days nor the highest days, which may be incidents
 * themselves, have a say. What recurs is known apart: the third highest day, where days close together are one incident.
 */
export interface Calibration {
  readonly days: number;
  readonly location: number;
  readonly scale: number;
  readonly recurrent: number;
  /** The second highest of days that are apart. */
  readonly second: number;
}

/** Scores below this say nothing about a series, whatever their distribution. */
const SCORE_LEAST = 0.7;
/** Middle ranks that the fit uses. */
const RANK_FROM = 0.25;
const RANK_TO = 0.87;
/** Days at most this far apart are one incident. */
const INCIDENT_DAYS = 2;
const SECOND_RANK = 2;
const RECURRENT_RANK = 3;
/** With fewer days, nothing is known of the highest ones. */
const SECOND_DAYS_LEAST = 14;
/** A scale that few days would have to prove is not believed to be smaller than this. */
const SCALE_LEAST = 0.12;
const SCALE_OF_FEW = 2.5;
/** A recurrent score is normal; so is one a little above it. */
const RECURRENT_MARGIN = 1.35;

/** @param highest the largest score of each day, oldest first */
export function calibrate(highest: readonly number[]): Calibration {
  const logs = Float64Array.from(highest, (score) => Math.log(Math.max(SCORE_LEAST, score))).toSorted();
  const days = logs.length;
  const from = Math.floor(days * RANK_FROM);
  const to = Math.max(from + 2, Math.ceil(days * RANK_TO));
  let [n, sumG, sumL, sumGG, sumGL] = [0, 0, 0, 0, 0];
  for (let rank = from; rank < Math.min(to, days); rank += 1) {
    const g = -Math.log(-Math.log((rank + 0.56) / (days + 0.12)));
    const value = logs[rank] ?? 0;
    n += 1;
    sumG += g;
    sumL += value;
    sumGG += g * g;
    sumGL += g * value;
  }
  const spread = n * sumGG - sumG * sumG;
  const slope = spread > 0 ? (n * sumGL - sumG * sumL) / spread : 0;
  const scale = Math.max(slope * (1 + 2 / Math.max(1, days)), SCALE_LEAST, SCALE_OF_FEW / Math.max(1, days));
  const location = n > 0 ? (sumL - slope * sumG) / n : 0;
  return { days, location, scale, recurrent: apart(highest, RECURRENT_RANK), second: apart(highest, SECOND_RANK) };
}

/**
 * The score that a day passes with this probability; no lower than what recurs.
 *
 * @param enough so many times the second highest score of the history is convincing, whatever the tail
 */
export function thresholdFor(
  { days, location, scale, recurrent, second }: Calibration,
  chance: number,
  enough: number,
): number {
  const rare = Math.exp(location - scale * Math.log(chance));
  const most = days >= SECOND_DAYS_LEAST ? enough * Math.max(second, SCORE_LEAST) : Infinity;
  return Math.max(Math.min(rare, most), recurrent * RECURRENT_MARGIN);
}

/** The third highest of days that are apart; 0 = there are fewer. */
export function recurrentOf(highest: readonly number[]): number {
  return apart(highest, RECURRENT_RANK);
}

function apart(highest: readonly number[], rank: number): number {
  const order = highest.map((score, day) => ({ score, day })).toSorted((a, b) => b.score - a.score);
  const chosen: number[] = [];
  for (const { score, day } of order) {
    if (chosen.some((other) => Math.abs(other - day) <= INCIDENT_DAYS)) continue;
    chosen.push(day);
    if (chosen.length === rank) return score;
  }
  return 0;
}
