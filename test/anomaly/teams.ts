import { lognormal, type LocalHour, type Source } from './traffic.ts';
import { seeded } from '../seeded.ts';

/** People at work: rises in the morning, a dip at noon, little in the evening, next to nothing at weekends. */
export function office(at: LocalHour): number {
  if (at.weekday === 0 || at.weekday === 6) return at.hour >= 10 && at.hour < 18 ? 0.02 : 0;
  return OFFICE_HOURS[at.hour] ?? 0;
}
const OFFICE_HOURS = [
  0, 0, 0, 0, 0, 0, 0.01, 0.08, 0.4, 0.85, 1, 0.95, 0.6, 0.8, 1, 1, 0.9, 0.6, 0.25, 0.1, 0.06, 0.04, 0.02, 0,
];

/** Customers all day, fewer at night and somewhat fewer at weekends. */
export function service(at: LocalHour): number {
  const day = 0.55 + 0.45 * Math.sin(((at.hour - 9) / 24) * 2 * Math.PI);
  return day * (at.weekday === 0 || at.weekday === 6 ? 0.75 : 1);
}

export function nightly(at: LocalHour): number {
  return at.hour === 2 ? 1 : at.hour === 3 ? 0.4 : 0;
}

/** Batch work on about a third of the days, at hours nobody can foretell. */
export function oddDays(at: LocalHour): number {
  const random = seeded(at.day * 7_919);
  if (random() > 0.35) return 0;
  const begin = 6 + Math.floor(random() * 14);
  return at.hour >= begin && at.hour < begin + 3 ? lognormal(random, 0.4) : 0;
}

/** Agents that somebody lets run now and then, each time for another while. */
export function agents(at: LocalHour): number {
  const random = seeded(Math.floor(at.index / 3) * 104_729);
  return random() < 0.25 && at.hour >= 8 ? Math.min(30, (1 - random()) ** (-1 / 1.6)) : 0.05;
}

export function always(): number {
  return 1;
}

export function fridayWeekend(at: LocalHour): number {
  return office({ ...at, weekday: (at.weekday + 1) % 7 });
}

const PLAIN = { callNoise: 0.8, hourNoise: 0.25, dayNoise: 0.12, failing: 0.01 };

export function source(key: string, change: Partial<Source> = {}): Source {
  return {
    ...PLAIN,
    key,
    model: 'large',
    provider: 'anthropic',
    team: 'product',
    calls: 100,
    callCost: 0.05,
    tokens: 6_000,
    shape: office,
    ...change,
  };
}

const SMALL = { model: 'small', callCost: 0.004, tokens: 4_000 };

/** Some 300 USD a day: people with assistants, a service for customers, a nightly evaluation, a small tool. */
export const COMPANY: readonly Source[] = [
  source('assistants', { calls: 300 }),
  source('assistants', { calls: 200, ...SMALL }),
  source('support-bot', { calls: 150, team: 'support', shape: service }),
  source('support-bot', { calls: 400, team: 'support', shape: service, ...SMALL, provider: 'openai', model: 'mini' }),
  source('evaluation', { calls: 500, team: 'research', shape: nightly, ...SMALL }),
  source('search', { calls: 60, team: 'search', shape: service, provider: 'openai', model: 'mini', callCost: 0.01 }),
];

/** One office with three keys. */
export const OFFICE: readonly Source[] = [
  source('web', { calls: 120 }),
  source('ci', { calls: 80, team: 'platform', hourNoise: 0.6, ...SMALL, callCost: 0.02 }),
  source('notebooks', {
    calls: 40,
    team: 'research',
    hourNoise: 0.7,
    provider: 'openai',
    model: 'mini',
    callCost: 0.02,
  }),
];

/** A service for customers all over the world. */
export const SERVICE: readonly Source[] = [
  source('api', { calls: 900, shape: service, team: 'api', callCost: 0.01 }),
  source('worker', { calls: 300, shape: service, team: 'api', ...SMALL }),
];

/** A call or two a day. */
export const SPARSE: readonly Source[] = [
  source('cron', { calls: 0.15, callCost: 1.2, shape: always, hourNoise: 0 }),
  source('script', { calls: 0.25, callCost: 0.8, shape: office, hourNoise: 0, team: 'ops' }),
];
