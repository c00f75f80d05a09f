import type { Script } from './scenarios.ts';
import { seeded } from '../seeded.ts';
import {
  agents,
  always,
  COMPANY,
  fridayWeekend,
  nightly,
  oddDays,
  OFFICE,
  office,
  SERVICE,
  service,
  source,
  SPARSE,
} from './teams.ts';
import { ANY } from './types.ts';
import type { Changes, LocalHour } from './traffic.ts';

const DAY = 24;

function scaled(when: (at: LocalHour) => boolean, factor: number): Changes {
  return (_, at) => (when(at) ? { calls: factor } : null);
}

const between =
  (from: number, to: number) =>
  (at: LocalHour): boolean =>
    at.index >= from && at.index < to;

/** Nothing is wrong here: every alert is a false one, unless a truth says that it may be told. */
export const ordinary: readonly Script[] = [
  { name: 'an office', plot: () => ({ sources: OFFICE, zone: 'Europe/Berlin' }) },
  { name: 'a service around the clock', plot: () => ({ sources: SERVICE }) },
  { name: 'a company of both', plot: () => ({ sources: COMPANY, zone: 'America/New_York' }) },
  {
    name: 'heavy tails: hours differ tenfold',
    plot: () => ({ sources: OFFICE.map((one) => ({ ...one, hourNoise: 0.9, callNoise: 1.5, dayNoise: 0.3 })) }),
  },
  {
    name: 'few calls of very different size',
    plot: () => ({
      sources: [
        source('one', { calls: 3, callCost: 0.7, callNoise: 1.6 }),
        source('two', { calls: 2, callCost: 0.5, callNoise: 1.6, shape: service, team: 'ops' }),
      ],
    }),
  },
  {
    name: 'growth of 30 % a month',
    plot: () => ({ sources: COMPANY, changes: [(_, at) => ({ calls: Math.exp((at.day * Math.log(1.3)) / 30) })] }),
  },
  {
    name: 'growth of 10 % a week',
    plot: () => ({ sources: SERVICE, changes: [(_, at) => ({ calls: Math.exp((at.day * Math.log(1.1)) / 7) })] }),
  },
  {
    name: 'nightly batch',
    plot: () => ({ sources: [...OFFICE, source('batch', { shape: nightly, calls: 800, team: 'data' })] }),
  },
  {
    name: 'batch on odd days at odd hours',
    plot: () => ({ sources: [...OFFICE, source('batch', { shape: oddDays, calls: 900, team: 'data' })] }),
  },
  {
    name: 'weekly batch on Monday at 3',
    plot: () => ({
      sources: [
        ...OFFICE,
        source('report', { shape: (at) => (at.weekday === 1 && at.hour === 3 ? 1 : 0), calls: 2_000, team: 'data' }),
      ],
    }),
  },
  {
    name: 'batch at the end of the month',
    plot: () => ({
      start: Date.UTC(2026, 0, 5),
      sources: [
        ...OFFICE,
        source('billing', {
          shape: ({ date, hour }) =>
            hour >= 20 && new Date(date.getTime() + DAY * 3_600_000).getUTCDate() === 1 ? 1 : 0,
          calls: 1_200,
          team: 'finance',
        }),
      ],
    }),
  },
  {
    name: 'agents that run now and then',
    plot: () => ({ sources: [source('agents', { shape: agents, calls: 60 }), source('web', { team: 'web' })] }),
  },
  {
    name: 'a holiday of two days',
    plot: ({ workday }) => {
      const from = workday();
      return { sources: COMPANY, changes: [scaled(between(from, from + 2 * DAY), 0.12)] };
    },
  },
  {
    name: 'ten quiet days at the end of the year',
    plot: () => ({ sources: COMPANY, changes: [scaled(between(36 * DAY, 46 * DAY), 0.1)] }),
  },
  { name: 'a call or two a day', plot: () => ({ sources: SPARSE }) },
  {
    name: 'clocks change',
    plot: ({ whole }) => ({
      sources: COMPANY,
      zone: whole(0, 1) === 0 ? 'Europe/Berlin' : 'America/New_York',
      start: Date.UTC(2026, 8, 21),
    }),
  },
  {
    name: 'people in a zone the workspace does not know',
    plot: () => ({ sources: OFFICE, zone: 'Asia/Tokyo', timeZone: 'UTC' }),
  },
  {
    name: 'a weekend on Friday and Saturday',
    plot: () => ({ sources: OFFICE.map((one) => ({ ...one, shape: fridayWeekend })), zone: 'Asia/Riyadh' }),
  },
  {
    name: 'a tag value for every run',
    plot: () => ({
      sources: [
        ...OFFICE,
        ...Array.from({ length: 20 }, (_, run) =>
          source('ci', {
            team: `run-${run}`,
            calls: 200,
            shape: (at) => (at.day === run * 3 + 2 && office(at) > 0.5 ? 1 : 0),
          }),
        ),
      ],
    }),
  },
  {
    name: 'an outage in the past',
    plot: ({ workday }) => {
      const from = workday() - 14 * DAY + 9;
      return { sources: COMPANY, changes: [scaled(between(from, from + 14), 0)] };
    },
  },
  {
    name: 'a team leaves',
    plot: ({ workday }) => {
      const from = workday();
      return {
        sources: COMPANY,
        changes: [({ team }, at) => (team === 'product' && at.index >= from ? { calls: 0 } : null)],
        truths: [{ from, hours: 72, types: ANY, optional: true }],
      };
    },
  },
  {
    name: 'single errors of rare calls',
    plot: () => ({ sources: [...SPARSE, source('flaky', { calls: 4, failing: 0.12, shape: service, team: 'ops' })] }),
  },
  {
    name: 'an unsteady provider: bad hours now and then',
    plot: () => ({
      sources: SERVICE,
      changes: [
        (_, at) => {
          const random = seeded(Math.floor(at.index / 2) * 31);
          return random() < 0.04 ? { failing: 0.05 + 0.25 * random() } : null;
        },
      ],
    }),
  },
  {
    name: 'one always-on loop of few calls',
    plot: () => ({ sources: [source('loop', { calls: 12, shape: always, callCost: 0.4, hourNoise: 0.1 })] }),
  },
  {
    name: 'people who try things at weekends now and then',
    plot: () => ({
      sources: OFFICE,
      changes: [
        ({ key }, at) => {
          if (key !== 'notebooks' || (at.weekday !== 0 && at.weekday !== 6)) return null;
          return seeded(at.day)() < 0.4 && at.hour >= 12 && at.hour < 16 ? { addCalls: 25 } : null;
        },
      ],
    }),
  },
  {
    name: 'a launch on purpose: three times as much, for good',
    plot: ({ workday }) => {
      const from = workday() + 10;
      return {
        sources: SERVICE,
        changes: [(_, at) => (at.index >= from ? { calls: 3 } : null)],
        truths: [{ from, hours: 72, types: ANY, optional: true }],
      };
    },
  },
  {
    name: 'a bad day long ago, ordinary since',
    plot: ({ workday }) => {
      const from = workday() - 14 * DAY;
      return { sources: COMPANY, changes: [scaled(between(from + 6, from + 30), 8)] };
    },
  },
];
