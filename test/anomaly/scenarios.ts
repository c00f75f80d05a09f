import type { FindingType } from '../../src/domain/anomaly/finding.ts';
import type { SpendSeries } from '../../src/domain/anomaly/series.ts';
import { seeded } from '../seeded.ts';
import { ordinary } from './ordinary.ts';
import { incidents } from './incidents.ts';
import { type Changes, makeTraffic, type Source } from './traffic.ts';
import { HOUR_MS } from '../../src/domain/time/units.ts';

/** 63 days: five weeks of history, four that are judged. */
const DAYS = 63;
/** Monday. */
const START = Date.UTC(2026, 0, 26);

/** What happened, as a person would call it. */
export interface Truth {
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
  /** Alerts that tell it. */
  readonly types: readonly FindingType[];
  /** May be told and need not: a launch on purpose. */
  readonly optional?: boolean;
}

/** Hours are counted from the first hour of the traffic. */
export interface Plot {
  readonly sources: readonly Source[];
  readonly changes?: readonly Changes[];
  readonly truths?: readonly { from: number; hours: number; types: readonly FindingType[]; optional?: boolean }[];
  /** Where the people are. */
  readonly zone?: string;
  /** What the workspace says; the same if absent. */
  readonly timeZone?: string;
  readonly start?: number;
}

export interface Script {
  readonly name: string;
  /** `day` and `pick` choose when it happens, by the seed. */
  readonly plot: (choose: Choose) => Plot;
}

export interface Choose {
  /** First hour of a weekday among the judged weeks (days 38 to 52), Monday to Friday. */
  readonly workday: () => number;
  /** The same for a Saturday. */
  readonly saturday: () => number;
  /** A whole number from `low` to `high`. */
  readonly whole: (low: number, high: number) => number;
}

interface Staged {
  readonly series: readonly SpendSeries[];
  readonly timeZone: string;
  readonly start: number;
  readonly days: number;
  readonly truths: readonly Truth[];
}

export interface Scenario {
  readonly name: string;
  readonly make: (seed: number) => Staged;
}

export const SCENARIOS: readonly Scenario[] = [...ordinary, ...incidents].map(({ name, plot }) => ({
  name,
  make: (seed) => stage(plot(chooseBy(seed * 31 + name.length)), seed),
}));

function stage(plot: Plot, seed: number): Staged {
  const { sources, changes = [], truths = [], zone = 'UTC', timeZone = zone, start = START } = plot;
  const series = makeTraffic({ seed, start, days: DAYS, zone, sources, changes });
  return {
    series,
    timeZone,
    start,
    days: DAYS,
    truths: truths.map(({ from, hours, types, optional = false }) => ({
      types,
      optional,
      from: start + from * HOUR_MS,
      to: start + (from + hours) * HOUR_MS,
    })),
  };
}

function chooseBy(seed: number): Choose {
  const random = seeded(seed);
  const whole = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
  return {
    whole,
    workday: () => (whole(5, 6) * 7 + whole(0, 4)) * 24 + 7 * 24 * whole(0, 1),
    saturday: () => (whole(5, 7) * 7 + 5) * 24,
  };
}
