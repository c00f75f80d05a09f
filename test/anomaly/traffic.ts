import { offsetAt } from '../../src/domain/time/period.ts';
import type { HourBucket, SpendSeries, SeriesScope } from '../../src/domain/anomaly/series.ts';
import { type Random, seeded } from '../seeded.ts';
import { HOUR_MS } from '../../src/domain/time/units.ts';

const NANO = 1_000_000_000;

/** An hour as the people who work in it see it. */
export interface LocalHour {
  /** Hours since the first. */
  readonly index: number;
  readonly at: number;
  readonly hour: number;
  /** 0 = Sunday. */
  readonly weekday: number;
  /** Local days since the first hour. */
  readonly day: number;
  readonly date: Date;
}

/** One use of one key with one model: where calls come from. */
export interface Source {
  readonly key: string;
  readonly model: string;
  readonly provider: string;
  readonly team: string;
  /** Calls an hour at the busiest time. */
  readonly calls: number;
  /** USD. */
  readonly callCost: number;
  readonly tokens: number;
  /** When it works, 0 to 1 and more. */
  readonly shape: (at: LocalHour) => number;
  /** Deviations of logarithms: of a call's size, of an hour's and a day's level. */
  readonly callNoise: number;
  readonly hourNoise: number;
  readonly dayNoise: number;
  readonly failing: number;
}

/** What an incident makes of a source in an hour. */
export interface Change {
  readonly calls?: number;
  readonly addCalls?: number;
  readonly cost?: number;
  readonly tokens?: number;
  readonly failing?: number;
  /** One more call of so many USD. */
  readonly huge?: number;
}

export type Changes = (source: Source, at: LocalHour) => Change | null;

export interface TrafficOptions {
  readonly seed: number;
  readonly start: number;
  readonly days: number;
  /** Where the people are; not necessarily what the workspace says. */
  readonly zone: string;
  readonly sources: readonly Source[];
  readonly changes: readonly Changes[];
}

/** All series of a workspace: the whole, keys, teams, models, providers. */
export function makeTraffic({ seed, start, days, zone, sources, changes }: TrafficOptions): SpendSeries[] {
  const sums = new Map<string, { scope: SeriesScope; name: string; hours: Map<number, HourBucket> }>();
  const hours = localHours(start, days, zone);
  sources.forEach((source, number) => {
    const random = seeded(seed * 1_000 + number);
    const levels = dayLevels(random, days + 2, source.dayNoise);
    for (const at of hours) {
      const bucket = hourOf(source, at, levels[at.day] ?? 1, changes, random);
      if (bucket) for (const [scope, name] of scopesOf(source)) add(sums, scope, name, bucket);
    }
  });
  return [...sums.values()].map(({ scope, name, hours: all }) => ({
    scope,
    name,
    hours: [...all.values()].toSorted((a, b) => a.hour - b.hour),
  }));
}

function localHours(start: number, days: number, zone: string): LocalHour[] {
  const first = Math.floor((start + offsetAt(start, zone)) / (24 * HOUR_MS));
  return Array.from({ length: days * 24 }, (_, index) => {
    const at = start + index * HOUR_MS;
    const date = new Date(at + offsetAt(at, zone));
    const day = Math.floor(date.getTime() / (24 * HOUR_MS)) - first;
    return { index, at, hour: date.getUTCHours(), weekday: date.getUTCDay(), day, date };
  });
}

function hourOf(
  source: Source,
  at: LocalHour,
  level: number,
  changes: readonly Changes[],
  random: Random,
): HourBucket | null {
  const change = changes.map((one) => one(source, at)).reduce<Change>((all, one) => merge(all, one), {});
  const noise = lognormal(random, source.hourNoise);
  const rate = source.calls * source.shape(at) * level * noise * (change.calls ?? 1) + (change.addCalls ?? 0);
  const calls = poisson(random, rate);
  const failed = binomial(random, calls, change.failing ?? source.failing);
  const paid = calls - failed;
  const size = sizes(random, paid, source.callNoise);
  const cost = size * source.callCost * (change.cost ?? 1) + (change.huge ?? 0);
  const tokens = size * source.tokens * (change.tokens ?? 1) + ((change.huge ?? 0) / source.callCost) * source.tokens;
  if (calls === 0 && cost === 0) return null;
  return {
    hour: at.at,
    cost: Math.round(cost * NANO),
    calls: calls + (change.huge ? 1 : 0),
    failed,
    tokens: Math.round(tokens),
  };
}

function merge(all: Change, one: Change | null): Change {
  if (!one) return all;
  return {
    ...all,
    ...one,
    calls: (all.calls ?? 1) * (one.calls ?? 1),
    cost: (all.cost ?? 1) * (one.cost ?? 1),
    tokens: (all.tokens ?? 1) * (one.tokens ?? 1),
    addCalls: (all.addCalls ?? 0) + (one.addCalls ?? 0),
  };
}

function scopesOf({ key, model, provider, team }: Source): readonly (readonly [SeriesScope, string])[] {
  return [
    [{ kind: 'workspace', id: '', tag: '' }, 'the workspace'],
    [{ kind: 'key', id: key, tag: '' }, `key ${key}`],
    [{ kind: 'model', id: model, tag: '' }, `model ${model}`],
    [{ kind: 'provider', id: provider, tag: '' }, provider],
    [{ kind: 'tag', id: team, tag: 'team' }, `team=${team}`],
  ];
}

function add(
  sums: Map<string, { scope: SeriesScope; name: string; hours: Map<number, HourBucket> }>,
  scope: SeriesScope,
  name: string,
  bucket: HourBucket,
): void {
  const entry = sums.get(name) ?? { scope, name, hours: new Map<number, HourBucket>() };
  sums.set(name, entry);
  const old = entry.hours.get(bucket.hour);
  const plus = (a: number | null, b: number | null): number => (a ?? 0) + (b ?? 0);
  entry.hours.set(bucket.hour, {
    hour: bucket.hour,
    cost: (old?.cost ?? 0) + bucket.cost,
    calls: plus(old?.calls ?? 0, bucket.calls),
    failed: plus(old?.failed ?? 0, bucket.failed),
    tokens: plus(old?.tokens ?? 0, bucket.tokens),
  });
}

/** Days that resemble the day before. */
function dayLevels(random: Random, days: number, noise: number): number[] {
  let state = normal(random);
  return Array.from({ length: days }, () => {
    state = 0.5 * state + Math.sqrt(0.75) * normal(random);
    return Math.exp(noise * state);
  });
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** With mean 1. */
export function lognormal(random: Random, deviation: number): number {
  return Math.exp(deviation * normal(random) - (deviation * deviation) / 2);
}

function poisson(random: Random, mean: number): number {
  if (mean <= 0) return 0;
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let [count, product] = [0, random()];
  while (product > limit) {
    count += 1;
    product *= random();
  }
  return count;
}

function binomial(random: Random, trials: number, chance: number): number {
  if (trials > 200) {
    const mean = trials * chance;
    return Math.min(trials, Math.max(0, Math.round(mean + Math.sqrt(mean * (1 - chance)) * normal(random))));
  }
  let hits = 0;
  for (let i = 0; i < trials; i += 1) if (random() < chance) hits += 1;
  return hits;
}

/** The sizes of so many calls together, in calls of the mean size. */
function sizes(random: Random, calls: number, noise: number): number {
  const drawn = Math.min(calls, 60);
  let sum = 0;
  for (let i = 0; i < drawn; i += 1) sum += lognormal(random, noise);
  return drawn === 0 ? 0 : (sum * calls) / drawn;
}
