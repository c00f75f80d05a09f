import type { DetectionSensitivity } from './series.ts';

/** Numbers behind a sensitivity. The README has measured results. */
export interface DetectionStrictness {
  /** Least distance from the median, in spreads, of a sum beyond all previous ones. */
  readonly score: number;
  /** The same for a sum that is beyond everything at its hour of the day alone. */
  readonly hourScore: number;
  /** Part of the workspace's usual day that must be at stake. */
  readonly dayPart: number;
  /** Least factor above the usual of what is more than information. */
  readonly factor: number;
  /** The same for calls, and how many calls at least. */
  readonly callFactor: number;
  readonly callsLeast: number;
  /** Price per token. */
  readonly priceFactor: number;
  readonly priceScore: number;
  /** Errors: least rise of the rate, least factor, failed calls, chance of as many. */
  readonly errorRise: number;
  readonly errorFactor: number;
  readonly errorsLeast: number;
  readonly errorChance: number;
  /** Part of the workspace's usual day that a newcomer must spend within its first days. */
  readonly newSeriesPart: number;
}

export const STRICTNESS: Readonly<Record<DetectionSensitivity, DetectionStrictness>> = {
  low: {
    score: 6,
    hourScore: 8,
    dayPart: 0.1,
    factor: 3,
    callFactor: 5,
    callsLeast: 500,
    priceFactor: 2,
    priceScore: 7,
    errorRise: 0.2,
    errorFactor: 3,
    errorsLeast: 12,
    errorChance: 1e-8,
    newSeriesPart: 0.3,
  },
  normal: {
    score: 4,
    hourScore: 6,
    dayPart: 0.05,
    factor: 2,
    callFactor: 3,
    callsLeast: 200,
    priceFactor: 1.5,
    priceScore: 5,
    errorRise: 0.1,
    errorFactor: 2.5,
    errorsLeast: 8,
    errorChance: 1e-6,
    newSeriesPart: 0.1,
  },
  high: {
    score: 3,
    hourScore: 4,
    dayPart: 0.02,
    factor: 1.5,
    callFactor: 2,
    callsLeast: 50,
    priceFactor: 1.3,
    priceScore: 4,
    errorRise: 0.05,
    errorFactor: 2,
    errorsLeast: 5,
    errorChance: 1e-4,
    newSeriesPart: 0.05,
  },
};
