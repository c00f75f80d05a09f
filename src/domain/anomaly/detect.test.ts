import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seeded } from '../../../test/seeded.ts';
import { backtest, detect, type DetectInput } from './detect.ts';
import { HOURS_NEEDED } from './detection-context.ts';
import { type HourBucket, type SpendSeries, type SeriesScope, WHOLE_WORKSPACE } from './series.ts';
import { HOUR_MS } from '../time/units.ts';

const START = Date.UTC(2026, 0, 5);
const DAY = 24;
const USD = 1_000_000_000;
const SETTINGS = { sensitivity: 'normal', minExcessNano: USD } as const;

type Shape = (hour: number) => Partial<HourBucket> & { readonly cost: number };

function seriesOf(
  hours: number,
  shape: Shape,
  scope: SeriesScope = WHOLE_WORKSPACE,
  name = 'the workspace',
): SpendSeries {
  const buckets = Array.from({ length: hours }, (_, i) => {
    const known = shape(i);
    const calls = known.calls ?? Math.ceil(known.cost / USD) * 10;
    return { hour: START + i * HOUR_MS, failed: 0, tokens: calls * 1_000, ...known, calls };
  });
  return { scope, name, hours: buckets.filter(({ cost, calls }) => cost > 0 || calls > 0) };
}

/** Office hours with noise, in USD. */
function office(seed: number): (hour: number) => number {
  const noise = Array.from({ length: 100 * DAY }, seeded(seed));
  return (i) => {
    const [hour, weekday] = [i % DAY, Math.floor(i / DAY) % 7];
    const busy = weekday < 5 && hour >= 8 && hour < 18 ? 10 : 0.2;
    return Math.round(busy * (0.7 + 0.6 * (noise[i] ?? 0)) * USD);
  };
}

function input(series: readonly SpendSeries[], hours: number, change: Partial<DetectInput> = {}): DetectInput {
  return { series, timeZone: 'UTC', now: START + hours * HOUR_MS, since: START, settings: SETTINGS, ...change };
}

const key = (id: string): SeriesScope => ({ kind: 'key', id, tag: '' });
const end = START + 42 * DAY * HOUR_MS;
const judged = START + 28 * DAY * HOUR_MS;

describe('detect', () => {
  const usual = office(1);
  const spike = 29 * DAY + 10;

  test('a spike is reported once, with its amount, its usual amount and its largest contributor', () => {
    const cost = (i: number): number => usual(i) + (i === spike ? 100 * USD : 0);
    const whole = seriesOf(spike + 1, (i) => ({ cost: cost(i) }));
    const mover = seriesOf(
      spike + 1,
      (i) => ({ cost: cost(i) / 2 + (i === spike ? 50 * USD : 0) }),
      key('ci'),
      'key ci',
    );
    const { findings, verdicts } = detect(input([whole, mover], spike + 1));
    expect(findings).toHaveLength(1);
    const [finding] = findings;
    expect(finding).toMatchObject({ type: 'COST_SPIKE', kind: 'cost', severity: 'critical', scope: WHOLE_WORKSPACE });
    expect(finding?.at).toBe(START + spike * HOUR_MS);
    expect(finding?.factor).toBeGreaterThan(5);
    expect(finding?.movers[0]).toMatchObject({ name: 'key ci', isNew: false });
    expect(finding?.text).toContain('times the usual');
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['finding', 'finding']);
  });

  test('a part is reported alone if the whole workspace is usual', () => {
    const whole = seriesOf(spike + 1, (i) => ({ cost: usual(i) * 20 }));
    const part = seriesOf(spike + 1, (i) => ({ cost: i === spike ? 60 * USD : usual(i) / 10 }), key('ci'), 'key ci');
    const { findings } = detect(input([whole, part], spike + 1));
    expect(findings.map(({ name }) => name)).toEqual(['key ci']);
  });

  test('an hour that is not over is judged by its spend so far, and the hour before it as a whole', () => {
    const whole = seriesOf(spike + 1, (i) => ({ cost: i === spike ? 100 * USD : usual(i) }));
    const now = START + spike * HOUR_MS + HOUR_MS / 12;
    expect(detect(input([whole], 0, { now })).findings.map(({ at }) => at)).toEqual([START + spike * HOUR_MS]);
    const later = now + HOUR_MS;
    const [finding] = detect(input([whole], 0, { now: later })).findings;
    expect(finding?.from).toBeLessThanOrEqual(START + spike * HOUR_MS);
  });

  test('too little history is reported, with how much there is and how much is needed', () => {
    const whole = seriesOf(40, (i) => ({ cost: usual(i) }));
    const { findings, verdicts } = detect(input([whole], 40));
    expect(findings).toEqual([]);
    expect(verdicts).toMatchObject([{ verdict: 'not_enough_history', hours: 40, hoursNeeded: HOURS_NEEDED }]);
  });

  test('nothing is reported without spend, without series, or without any history', () => {
    expect(detect(input([], 100)).findings).toEqual([]);
    expect(detect(input([seriesOf(0, () => ({ cost: 0 }))], 100)).verdicts).toMatchObject([{ hours: 0 }]);
    expect(detect(input([], 0)).findings).toEqual([]);
  });

  test('errors are reported as a share, and only with enough calls', () => {
    const hours = 20 * DAY + 5;
    const failing = (calls: number): SpendSeries =>
      seriesOf(hours, (i) => ({ cost: USD, calls, failed: i === hours - 1 ? Math.ceil(calls * 0.8) : 0 }));
    expect(detect(input([failing(2)], hours)).findings).toEqual([]);
    expect(detect(input([failing(60)], hours)).findings).toMatchObject([
      { type: 'ERROR_SPIKE', severity: 'critical', unit: 'share', observed: 0.8 },
    ]);
  });

  test('a more expensive mix of models is reported even if the number of tokens is usual', () => {
    const hours = 22 * DAY;
    const dear = seriesOf(hours, (i) => ({ cost: (i >= 21 * DAY ? 9 : 5) * USD, calls: 100 }));
    const [finding] = detect(input([dear], hours)).findings;
    expect([finding?.kind, ...(finding?.also ?? [])]).toContain('model_shift');
  });

  test('spend far below the usual is reported as information once its hour is over', () => {
    const hours = 21 * DAY;
    const stopped = seriesOf(hours, () => ({ cost: 5 * USD }));
    const now = START + hours * HOUR_MS;
    expect(detect(input([stopped], hours, { now: now + HOUR_MS / 2 })).findings).toEqual([]);
    const drop = {
      type: 'UNUSUAL_ACTIVITY',
      kind: 'drop',
      severity: 'info',
      observed: 0,
      expected: 5 * USD,
      excessNano: 0,
    };
    expect(detect(input([stopped], hours + 1)).findings).toMatchObject([
      { ...drop, text: expect.stringMatching(/spent \$0\.00 in one hour .*; usual is \$5\.00\. Down to/) },
    ]);
  });

  test('an amount that is usual by day is reported at night if the hour of the day explains the usual amount', () => {
    const night = 29 * DAY + 2;
    const cost = (i: number): number => (i === night ? 9 * USD : usual(i));
    const [finding] = detect(input([seriesOf(night + 1, (i) => ({ cost: cost(i) }))], night + 1)).findings;
    expect(finding).toMatchObject({ kind: 'cost', observed: 9 * USD });
    expect(finding?.threshold).toBeLessThan(9 * USD);
    const random = Array.from({ length: 30 * DAY }, seeded(4));
    const flat = seriesOf(night + 1, (i) => ({
      cost: i === night ? 9 * USD : Math.round(13 * USD * (random[i] ?? 0)),
    }));
    expect(detect(input([flat], night + 1)).findings).toEqual([]);
  });

  test('a key that was idle for weeks is judged by its own history, not as a new key', () => {
    const hours = 50 * DAY + 11;
    const whole = seriesOf(hours, (i) => ({ cost: 2 * usual(i) }));
    const idle = (i: number): boolean => i >= 10 * DAY && i < hours - 1;
    const returned = seriesOf(hours, (i) => ({ cost: idle(i) ? 0 : 9 * USD, calls: idle(i) ? 0 : 10 }), key('a'), 'a');
    expect(detect(input([whole, returned], hours)).findings).toMatchObject([{ name: 'a', kind: 'cost', expected: 0 }]);
    const since = START + 20 * DAY * HOUR_MS;
    expect(detect(input([whole, returned], hours, { since })).findings).toEqual([]);
  });

  test('a new key with high spend is reported; one of many new values is not', () => {
    const hours = 20 * DAY;
    const whole = seriesOf(hours, (i) => ({ cost: 2 * usual(i) }));
    const fresh = (id: string, from: number): SpendSeries =>
      seriesOf(hours, (i) => ({ cost: i >= from ? USD : 0, calls: i >= from ? 10 : 0 }), key(id), id);
    expect(detect(input([whole, fresh('a', hours - 30)], hours)).findings).toMatchObject([{ kind: 'newcomer' }]);
    const many = [1, 2, 3, 4].map((n) => fresh(`k${n}`, 12 * DAY + n * 30));
    expect(detect(input([whole, ...many, fresh('a', hours - 30)], hours)).findings).toEqual([]);
  });
});

describe('backtest', () => {
  const usual = office(7);
  const whole = seriesOf(42 * DAY, (i) => ({ cost: usual(i) * (i >= 31 * DAY + 9 && i < 31 * DAY + 14 ? 8 : 1) }));

  test('an ordinary office has no episode, and five hours of eight times the spend are one', () => {
    const episodes = backtest(input([whole], 0), judged, end);
    expect(episodes).toHaveLength(1);
    expect(episodes[0]).toMatchObject({ key: 'cost_spike/workspace/2026-02-05T09', resolvedAt: expect.any(Number) });
  });

  test('an episode keeps its key if it is computed later, from another start or in another order', () => {
    const opened = START + (31 * DAY + 9) * HOUR_MS;
    const keys = [opened + HOUR_MS, opened + 2 * HOUR_MS, opened + 30 * HOUR_MS, end].map((to) =>
      backtest(input([whole], 0), judged, to).map((episode) => episode.key),
    );
    expect(new Set(keys.flat())).toEqual(new Set(['cost_spike/workspace/2026-02-05T09']));
    expect(backtest(input([whole], 0), opened - DAY * HOUR_MS, end)[0]?.key).toBe('cost_spike/workspace/2026-02-05T09');
  });

  test('a backtest reports what detect reports at the end of each hour', () => {
    for (const hour of [31 * DAY + 8, 31 * DAY + 9, 31 * DAY + 12]) {
      const { findings } = detect(input([whole], hour + 1));
      const now = START + (hour + 1) * HOUR_MS;
      const open = backtest(input([whole], 0), now - HOUR_MS, now).map(({ opening }) => opening);
      expect(open).toEqual(findings);
    }
  });

  test('a constant series never raises an alert, at any level and in any time zone', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'Australia/Lord_Howe'),
        fc.constantFrom('low' as const, 'normal' as const, 'high' as const),
        (cents, timeZone, sensitivity) => {
          const series = seriesOf(42 * DAY, () => ({ cost: cents * 10_000_000, calls: 50 }));
          const settings = { ...SETTINGS, sensitivity };
          expect(backtest(input([series], 0, { timeZone, settings }), START, end)).toEqual([]);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('multiplying all amounts and the minimum by ten changes nothing', () => {
    const found = (factor: number, seed: number): unknown => {
      const shape = office(seed);
      const cost = (i: number): number => factor * shape(i) * (i % (97 + seed) === 0 ? 9 : 1);
      const series = seriesOf(42 * DAY, (i) => ({ cost: cost(i), calls: 20 }));
      const settings = { ...SETTINGS, minExcessNano: factor * USD };
      return backtest(input([series], 0, { settings }), judged, end).map((episode) => [episode.key, episode.severity]);
    };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (seed) => {
        expect(found(10, seed)).toEqual(found(1, seed));
      }),
      { numRuns: 15 },
    );
  });

  test('the order of series changes nothing', () => {
    const parts = ['a', 'b', 'c'].map((id, n) => {
      const shape = office(n + 20);
      return seriesOf(42 * DAY, (i) => ({ cost: shape(i) * (i % (211 + 40 * n) === 10 ? 12 : 1) }), key(id), id);
    });
    const keys = (series: readonly SpendSeries[]): unknown =>
      backtest(input(series, 0), judged, end)
        .map((one) => one.key)
        .toSorted();
    expect(keys([whole, ...parts])).toEqual(keys([...parts, whole].toReversed()));
  });

  test('a past incident neither hides the next one nor causes a false one', () => {
    const shape = office(3);
    const at = (i: number, from: number): boolean => i >= from && i < from + 4;
    const series = seriesOf(42 * DAY, (i) => ({
      cost: shape(i) * (at(i, 22 * DAY + 10) || at(i, 36 * DAY + 10) ? 9 : 1),
    }));
    const keys = backtest(input([series], 0), judged, end).map((one) => one.key);
    expect(keys).toEqual(['cost_spike/workspace/2026-02-10T10']);
  });

  test('a launch is reported once and is usual within days', () => {
    const launch = 30 * DAY;
    const noise = office(5);
    const level = (i: number): number => 5 * USD + noise(i) / 20;
    const series = seriesOf(42 * DAY, (i) => ({ cost: Math.round(level(i) * (i >= launch ? 3 : 1)), calls: 100 }));
    const episodes = backtest(input([series], 0), judged, end);
    expect(episodes.filter(({ type }) => type === 'COST_SPIKE')).toHaveLength(1);
    const later = START + (launch + 6 * DAY + 1) * HOUR_MS;
    const cost = detect(input([series], 0, { now: later })).findings.filter(({ kind }) => kind === 'cost');
    expect(cost).toEqual([]);
  });

  test('night work in another time zone and clock changes are not unusual hours', () => {
    const shape = office(9);
    const series = seriesOf(42 * DAY, (i) => ({ cost: shape(i + 9) }));
    const shifted = (one: HourBucket): HourBucket => Object.assign(one, { hour: one.hour + 262 * DAY * HOUR_MS });
    const autumn = {
      ...series,
      hours: seriesOf(42 * DAY, (i) => ({ cost: shape(i + 9) }), WHOLE_WORKSPACE, 'moved').hours.map(shifted),
    };
    const moved = { since: START + 262 * DAY * HOUR_MS, timeZone: 'America/New_York' };
    const shift = 262 * DAY * HOUR_MS;
    expect(backtest(input([autumn], 0, moved), judged + shift, end + shift)).toEqual([]);
  });
});
