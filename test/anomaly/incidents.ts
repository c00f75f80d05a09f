import type { FindingType } from '../../src/domain/anomaly/finding.ts';
import type { Choose, Plot, Script } from './scenarios.ts';
import { COMPANY, OFFICE, office, SERVICE, service, source, SPARSE } from './teams.ts';
import type { Change, LocalHour, Source } from './traffic.ts';
import { ANY, COST, ERRORS } from './types.ts';

const DAY = 24;

interface Incident {
  readonly sources?: readonly Source[];
  readonly zone?: string;
  readonly timeZone?: string;
  readonly start?: number;
  readonly types: readonly FindingType[];
  readonly from: (choose: Choose) => number;
  readonly hours: number;
  /** Which sources; absent = all. */
  readonly only?: (source: Source) => boolean;
  readonly change: (at: LocalHour, since: number) => Change | null;
  /** What else is going on. */
  readonly beside?: (source: Source, at: LocalHour) => Change | null;
}

function incident(
  name: string,
  { types, from, hours, only, change, beside: unproxied, sources = COMPANY, ...rest }: Incident,
): Script {
  return {
    name,
    plot: (choose): Plot => {
      const begin = from(choose);
      return {
        ...rest,
        sources,
        changes: [
          (one, at) => {
            const since = at.index - begin;
            return since >= 0 && since < hours && (only?.(one) ?? true) ? change(at, since) : null;
          },
          ...(unproxied ? [unproxied] : []),
        ],
        truths: [{ from: begin, hours, types }],
      };
    },
  };
}

const at =
  (hour: number) =>
  ({ workday }: Choose): number =>
    workday() + hour;
const key =
  (name: string) =>
  (one: Source): boolean =>
    one.key === name;
const keyAndModel =
  (name: string, model: string) =>
  (one: Source): boolean =>
    one.key === name && one.model === model;

export const incidents: readonly Script[] = [
  incident('two hours of six times the calls', { types: COST, from: at(10), hours: 2, change: () => ({ calls: 6 }) }),
  incident('a runaway loop on one key, five hours', {
    types: COST,
    from: at(13),
    hours: 5,
    only: keyAndModel('search', 'mini'),
    change: () => ({ addCalls: 4_000 }),
  }),
  incident('a runaway loop at night', {
    types: ANY,
    from: at(1),
    hours: 6,
    only: keyAndModel('assistants', 'large'),
    change: () => ({ addCalls: 500 }),
  }),
  incident('agents left running over a weekend', {
    types: ANY,
    from: ({ saturday }) => saturday() - 4,
    hours: 60,
    sources: OFFICE,
    only: key('notebooks'),
    change: () => ({ addCalls: 120 }),
  }),
  incident('one huge call, rare calls otherwise', {
    types: COST,
    sources: SPARSE,
    from: at(11),
    hours: 1,
    only: key('cron'),
    change: () => ({ huge: 40 }),
  }),
  incident('one huge call on a small key', {
    types: COST,
    from: at(15),
    hours: 1,
    only: key('search'),
    change: () => ({ huge: 60 }),
  }),
  incident('a key stolen, used at night', {
    types: ANY,
    from: at(0),
    hours: 5,
    sources: OFFICE,
    zone: 'Europe/Berlin',
    only: key('web'),
    change: () => ({ addCalls: 150 }),
  }),
  incident('a key stolen, used at night where zones have half hours', {
    types: ANY,
    from: at(0),
    hours: 5,
    sources: OFFICE,
    zone: 'Asia/Kolkata',
    only: key('web'),
    change: () => ({ addCalls: 150 }),
  }),
  incident('a key stolen, used three nights in a row', {
    types: ANY,
    from: at(1),
    hours: 52,
    sources: OFFICE,
    only: key('web'),
    change: ({ hour }) => (hour < 5 ? { addCalls: 100 } : null),
  }),
  incident('a key stolen, used evenly day and night', {
    types: ANY,
    from: at(3),
    hours: 8 * DAY,
    only: keyAndModel('search', 'mini'),
    change: () => ({ addCalls: 60 }),
  }),
  incident('a slow leak: 5 % more each day', {
    types: ANY,
    sources: SERVICE,
    from: () => 36 * DAY,
    hours: 24 * DAY,
    change: (_, since) => ({ calls: Math.exp((0.05 * since) / DAY) }),
  }),
  incident('a slow leak of one key: 8 % more each day', {
    types: ANY,
    from: () => 36 * DAY,
    hours: 24 * DAY,
    only: key('support-bot'),
    change: (_, since) => ({ calls: Math.exp((0.08 * since) / DAY) }),
  }),
  incident('60 % more from one day on', {
    types: ANY,
    sources: SERVICE,
    from: at(0),
    hours: 10 * DAY,
    change: () => ({ calls: 1.6 }),
  }),
  incident('twice as much in an office, from one day on', {
    types: ANY,
    sources: OFFICE,
    from: at(8),
    hours: 7 * DAY,
    change: () => ({ calls: 2 }),
  }),
  incident('a launch: four times as much', {
    types: COST,
    sources: SERVICE,
    from: at(9),
    hours: 72,
    change: () => ({ calls: 4 }),
  }),
  incident('a launch during growth', {
    types: COST,
    sources: SERVICE,
    from: at(9),
    hours: 72,
    change: () => ({ calls: 3.5 }),
    beside: (_, { day }) => ({ calls: Math.exp((day * Math.log(1.25)) / 30) }),
  }),
  incident('all calls moved to a model five times as dear', {
    types: ANY,
    from: at(9),
    hours: 5 * DAY,
    only: ({ model }) => model === 'mini',
    change: () => ({ cost: 5 }),
  }),
  {
    name: 'one key moved to a new, dearer model',
    plot: ({ workday }) => {
      const from = workday() + 9;
      const old = source('web', { calls: 300, callCost: 0.01, model: 'small', shape: service });
      const dear = { ...old, model: 'opulent', callCost: 0.06 };
      return {
        sources: [old, dear, source('other', { team: 'other', calls: 80 })],
        changes: [
          ({ model }, { index }) => {
            if (model === 'small' && index >= from) return { calls: 0 };
            return model === 'opulent' && index < from ? { calls: 0 } : null;
          },
        ],
        truths: [{ from, hours: 72, types: ANY }],
      };
    },
  },
  incident('prompts grow threefold', {
    types: ANY,
    from: at(10),
    hours: 48,
    only: key('support-bot'),
    change: () => ({ cost: 3, tokens: 3 }),
  }),
  incident('a storm of retries, most of them failing', {
    types: ERRORS,
    from: at(14),
    hours: 3,
    only: key('support-bot'),
    change: () => ({ calls: 8, failing: 0.7 }),
  }),
  incident('an outage of a provider', {
    types: ERRORS,
    from: at(11),
    hours: 3,
    only: ({ provider }) => provider === 'openai',
    change: () => ({ failing: 0.9 }),
  }),
  incident('errors rise from 1 to 20 %', {
    types: ERRORS,
    sources: SERVICE,
    from: at(9),
    hours: 6,
    change: () => ({ failing: 0.2 }),
  }),
  incident('errors of a series with few calls', {
    types: ERRORS,
    sources: [source('jobs', { calls: 6, callCost: 0.5, failing: 0.03, shape: service })],
    from: at(8),
    hours: 12,
    change: () => ({ failing: 0.8 }),
  }),
  {
    name: 'a new key with real spend',
    plot: ({ workday }) => {
      const from = workday() + 10;
      const fresh = source('fresh', { calls: 120, team: 'lab', shape: ({ index }) => (index >= from ? 1 : 0) });
      return { sources: [...COMPANY, fresh], truths: [{ from, hours: 72, types: ANY }] };
    },
  },
  {
    name: 'a new model within a known key',
    plot: ({ workday }) => {
      const from = workday() + 10;
      const fresh = source('assistants', {
        model: 'new-one',
        calls: 150,
        shape: (hour) => (hour.index >= from ? office(hour) : 0),
      });
      return { sources: [...COMPANY, fresh], truths: [{ from, hours: 72, types: ANY }] };
    },
  },
  incident('a flood of cheap calls', {
    types: ANY,
    from: at(2),
    hours: 4,
    sources: [
      ...OFFICE,
      source('embed', { calls: 200, callCost: 0.000_1, tokens: 500, shape: service, team: 'search' }),
    ],
    only: key('embed'),
    change: () => ({ calls: 20 }),
  }),
  incident('a steady service stops', {
    types: ANY,
    sources: SERVICE,
    from: at(9),
    hours: 30,
    change: () => ({ calls: 0 }),
  }),
  incident('a spike during growth', {
    types: COST,
    from: at(11),
    hours: 3,
    change: () => ({ calls: 4 }),
    beside: (_, { day }) => ({ calls: Math.exp((day * Math.log(1.3)) / 30) }),
  }),
  incident('a spike after quiet days', {
    types: COST,
    from: () => 48 * DAY + 10,
    hours: 4,
    change: () => ({ calls: 5 }),
    beside: (_, { day }) => (day >= 36 && day < 46 ? { calls: 0.15 } : null),
  }),
  incident('a spike on the day clocks change', {
    types: ANY,
    start: Date.UTC(2026, 8, 14),
    zone: 'Europe/Berlin',
    from: () => 41 * DAY + 1,
    hours: 5,
    sources: OFFICE,
    only: key('web'),
    change: () => ({ addCalls: 160 }),
  }),
  incident('a spike after the zone of the workspace was changed', {
    types: ANY,
    sources: OFFICE,
    zone: 'America/Los_Angeles',
    timeZone: 'Asia/Tokyo',
    from: at(9),
    hours: 4,
    only: key('web'),
    change: () => ({ addCalls: 400 }),
  }),
  incident('a second spike, ten days after one as large', {
    types: COST,
    from: ({ whole }) => (42 + whole(0, 4)) * DAY + 12,
    hours: 3,
    change: () => ({ calls: 6 }),
    beside: (_, { index }) => (index >= 30 * DAY && index < 30 * DAY + 8 ? { calls: 6 } : null),
  }),
  incident('a spike in a noisy office', {
    types: COST,
    sources: OFFICE.map((one) => ({ ...one, hourNoise: 0.7, dayNoise: 0.25 })),
    from: at(10),
    hours: 4,
    change: () => ({ calls: 7 }),
  }),
  incident('a small tag of a large workspace, fifteenfold', {
    types: ANY,
    from: at(9),
    hours: 6,
    only: key('search'),
    change: () => ({ calls: 15 }),
  }),
  incident('a batch run twice the size of ever', {
    types: ANY,
    from: at(2),
    hours: 2,
    sources: [...OFFICE, source('batch', { shape: ({ hour }) => (hour === 2 ? 1 : 0), calls: 700, team: 'data' })],
    only: key('batch'),
    change: () => ({ calls: 4 }),
  }),
  incident('two and a half times as much for a day', {
    types: COST,
    from: at(6),
    hours: 24,
    change: () => ({ calls: 2.5 }),
  }),
];
