import type { Sensitivity } from './series.ts';

/** What a sensitivity means, in numbers. The README has what they come to. */
export interface Strictness {
  /** False alerts a week that thresholds are set for, of all series of a workspace together. */
  readonly falsePerWeek: number;
  /** So many times the second highest score of four weeks is told in any case. */
  readonly enough: number;
  /** Part of the workspace's usual day that must be at stake. */
  readonly dayPart: number;
  /** Least factor above the usual over 1, 6 and 24 hours. */
  readonly factors: readonly [number, number, number];
  /** The same for calls over 1 and 6 hours, and how many calls at least. */
  readonly callFactor: number;
  readonly callsLeast: number;
  /** A rise that lasts 3 or 7 days: least factor, and how many deviations. */
  readonly riseFactors: readonly [number, number];
  readonly riseScore: number;
  /** Price per token. */
  readonly priceFactor: number;
  readonly priceScore: number;
  /** Errors: least rise of the rate, least factor, failed calls, chance of as many. */
  readonly errorRise: number;
  readonly errorFactor: number;
  readonly errorsLeast: number;
  readonly errorChance: number;
  /** Part of the workspace's usual day that a newcomer must spend within its first days. */
  readonly newcomerPart: number;
}

export const STRICTNESS: Readonly<Record<Sensitivity, Strictness>> = {
  low: {
    falsePerWeek: 0.12,
    enough: 8,
    dayPart: 0.1,
    factors: [3, 2.5, 2],
    callFactor: 5,
    callsLeast: 500,
    riseFactors: [2, 1.8],
    riseScore: 6,
    priceFactor: 2,
    priceScore: 7,
    errorRise: 0.2,
    errorFactor: 3,
    errorsLeast: 12,
    errorChance: 1e-8,
    newcomerPart: 0.3,
  },
  normal: {
    falsePerWeek: 0.8,
    enough: 4,
    dayPart: 0.05,
    factors: [2, 2, 1.5],
    callFactor: 3,
    callsLeast: 200,
    riseFactors: [1.6, 1.4],
    riseScore: 4.5,
    priceFactor: 1.5,
    priceScore: 5,
    errorRise: 0.1,
    errorFactor: 2.5,
    errorsLeast: 8,
    errorChance: 1e-6,
    newcomerPart: 0.1,
  },
  high: {
    falsePerWeek: 3,
    enough: 2.5,
    dayPart: 0.02,
    factors: [1.5, 1.4, 1.25],
    callFactor: 2,
    callsLeast: 50,
    riseFactors: [1.4, 1.25],
    riseScore: 3.5,
    priceFactor: 1.3,
    priceScore: 4,
    errorRise: 0.05,
    errorFactor: 2,
    errorsLeast: 5,
    errorChance: 1e-4,
    newcomerPart: 0.05,
  },
};
