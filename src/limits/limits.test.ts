import { NO_CONTEXT } from '../domain/usage/call-context.ts';
import { describe, expect, test } from 'vitest';
import { type Limit, VALUES_PER_LIMIT_MAX, LIMIT_WINDOWS } from '../domain/limits/limit.ts';
import {
  sampleBudget,
  DAY,
  sampleCallEnd,
  sampleLimit,
  sampleNeed,
  NOON,
  SampleEngine,
  sampleSubject,
} from './contract/sample-limits.ts';
import type { LimitCounter } from './counter.ts';
import { Hold } from './hold.ts';
import { ALERTED_VALUES_MAX } from './counter-series.ts';
import { mayBreakOff } from './abandoned-calls.ts';

describe('admission', () => {
  test('holds under every limit of the call', () => {
    const sample = new SampleEngine(
      sampleLimit('lim_1'),
      sampleBudget('lim_2', 50, { scope: { kind: 'key', keyId: 'key_a' } }),
      sampleBudget('lim_3', 50, { scope: { kind: 'key', keyId: 'key_b' } }),
      sampleBudget('lim_4', 50, { workspaceId: 'ws_b' }),
    );
    sample.hold(20);
    expect(sample.figures()).toEqual({ lim_1: [0, 1], lim_2: [0, 20] });
  });

  test('that fails under one limit holds under none, and leaves nothing behind', () => {
    const sample = new SampleEngine(sampleLimit('lim_1'), sampleBudget('lim_2', 50), sampleLimit('lim_3'));
    sample.hold(40);
    const before = [sample.figures(), sample.engine.counters, sample.engine.holds];
    expect(sample.try(11)).toBe('in_flight lim_2');
    expect(sample.try(51)).toBe('exceeds_limit lim_2');
    expect([sample.figures(), sample.engine.counters, sample.engine.holds]).toEqual(before);
  });

  test('fills a limit to its last nano-dollar, and not beyond', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50));
    sample.spend(30);
    sample.hold(20);
    expect(sample.try(1)).toBe('in_flight lim_1');
    expect(sample.try(0)).toBeInstanceOf(Hold);
  });

  test.each([
    ['usd', 7],
    ['calls', 1],
    ['tokens', 300],
    ['input_tokens', 100],
    ['output_tokens', 200],
    ['concurrency', 1],
  ] as const)('counts %s', (unit, need) => {
    const sample = new SampleEngine(sampleLimit('lim_1', { unit, amount: 10_000 }));
    const who = sampleSubject();
    const hold = sample.engine.admit(who, sample.engine.findCounters(who, NOON), sampleNeed(7, 100, 200), NOON) as Hold;
    expect(sample.figures()).toEqual({ lim_1: [0, need] });
    sample.engine.settle(hold, sampleCallEnd(5, { counted: sampleNeed(5, 50, 60) }), NOON);
    const counted = { usd: 5, calls: 1, tokens: 110, input_tokens: 50, output_tokens: 60, concurrency: 0 }[unit];
    expect(sample.figures()).toEqual(counted === 0 ? {} : { lim_1: [counted, 0] });
  });

  test('has the mildest reason for a refusal, of the limit with the largest shortage', () => {
    const sample = new SampleEngine(
      sampleBudget('lim_1', 100),
      sampleBudget('lim_2', 100, { window: 'hour', scope: { kind: 'key', keyId: 'key_b' } }),
    );
    expect(sample.try(101)).toBe('exceeds_limit lim_1');
    sample.spend(60, { keyId: 'key_b' });
    expect(sample.try(41)).toBe('exceeds_limit lim_1');
    sample.hold(30);
    expect(sample.try(20)).toBe('in_flight lim_1');
    expect(sample.try(45, { keyId: 'key_b' })).toBe('exceeds_limit lim_1');
    sample.engine.put(sampleBudget('lim_1', 1_000), NOON);
    expect(sample.try(45, { keyId: 'key_b' })).toBe('rate_limited lim_2');
    expect(sample.try(101, { keyId: 'key_b' })).toBe('exceeds_limit lim_2');
    sample.engine.put(sampleBudget('lim_1', 60), NOON);
    expect(sample.try(1)).toBe('spent lim_1');
  });

  test('of concurrent calls is released as they end', () => {
    const sample = new SampleEngine(sampleLimit('lim_1', { unit: 'concurrency', amount: 2, window: 'total' }));
    const first = sample.hold(1);
    sample.hold(1);
    expect(sample.try(1)).toBe('in_flight lim_1');
    sample.settle(first, 1);
    expect(sample.try(1)).toBeInstanceOf(Hold);
  });

  test('is impossible under a limit of zero concurrent calls', () => {
    const sample = new SampleEngine(sampleLimit('lim_1', { unit: 'concurrency', amount: 0, window: 'total' }));
    expect(sample.try(1)).toBe('exceeds_limit lim_1');
  });

  test('is never refused by a limit that only warns, which counts it', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 10, { action: 'warn' }));
    sample.spend(50);
    expect(sample.figures()).toEqual({ lim_1: [50, 0] });
  });

  test('of a free call is never refused for money', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 10));
    sample.spend(10);
    expect([sample.try(1), sample.try(0), sample.try(null)]).toEqual([
      'spent lim_1',
      expect.any(Hold),
      expect.any(Hold),
    ]);
  });

  test('with counters found before they were dropped holds under the current ones', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50, { scope: { kind: 'each_tag', key: 'team' } }));
    const who = sampleSubject({ tags: { team: 'red' } });
    const stale = sample.engine.findCounters(who, NOON);
    sample.hold(40, { tags: { team: 'red' } });
    expect(sample.engine.admit(who, stale, sampleNeed(20), NOON)).toMatchObject({ reason: 'in_flight' });
    // The same with a window that is over, and with a limit that is gone.
    const tomorrow = sample.engine.admit(who, stale, sampleNeed(20), NOON + DAY) as Hold;
    expect(tomorrow.counterRefs()).toMatchObject([{ windowStart: NOON + DAY / 2 }]);
    sample.engine.remove('lim_1', NOON + DAY);
    expect((sample.engine.admit(who, stale, sampleNeed(70), NOON + DAY) as Hold).counters).toEqual([]);
  });
});

describe('windows', () => {
  const LENGTHS = { minute: 60_000, hour: 3_600_000, day: DAY / 2, week: 1.5 * DAY, month: 9.5 * DAY, total: Infinity };

  test.each(LIMIT_WINDOWS)('of a %s begin empty when the one before ends, and not a millisecond earlier', (window) => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50, { window }));
    sample.spend(50);
    const rest = LENGTHS[window];
    expect(sample.try(1, {}, Math.min(rest, 1e13) - 1)).toMatch(/^(rate_limited|spent) lim_1$/);
    if (rest !== Infinity) expect(sample.try(50, {}, rest)).toBeInstanceOf(Hold);
  });

  test('include the end of a call that began in them, however late', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50));
    const late = sample.hold(40);
    sample.hold(50, {}, DAY);
    expect(late.counterRefs()).toEqual([{ counter: 1, unit: 'usd', windowStart: NOON - DAY / 2, value: '' }]);
    sample.settle(late, 40, DAY);
    expect(sample.figures(DAY)).toEqual({ lim_1: [0, 50] });
    expect(late.counters[0]).toMatchObject({ counted: 40, held: 0 });
    expect(sample.engine.counters).toBe(1);
  });

  test('counted while the clock was ahead exist when their time comes', () => {
    const sample = new SampleEngine();
    const { engine: ledger } = sample;
    ledger.load(
      [sampleBudget('lim_1', 50)],
      [
        { counter: 1, windowStart: NOON - DAY / 2, value: '', counted: 10, uncertain: 0 },
        { counter: 1, windowStart: NOON + DAY / 2, value: '', counted: 30, uncertain: 0 },
        { counter: 1, windowStart: NOON - 1.5 * DAY, value: '', counted: 50, uncertain: 0 },
      ],
      NOON,
    );
    expect(sample.figures()).toEqual({ lim_1: [10, 0] });
    expect(sample.try(21, {}, DAY)).toBe('exceeds_limit lim_1');
    expect(sample.figures(DAY)).toEqual({ lim_1: [30, 0] });
  });

  test('of a raise are as long as it says', () => {
    const raise = { amount: 80, until: NOON + 1_000 };
    const sample = new SampleEngine(sampleBudget('lim_1', 50, { raise }));
    sample.spend(50);
    expect(sample.try(30, {}, 999)).toBeInstanceOf(Hold);
    expect(sample.try(30, {}, 1_000)).toBe('spent lim_1');
  });
});

describe('settling', () => {
  test('counts the cost of the call and releases the rest, once', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50), sampleLimit('lim_2'));
    const hold = sample.hold(40);
    sample.settle(hold, 25);
    sample.settle(hold, 25);
    sample.engine.release(hold, NOON);
    expect(sample.figures()).toEqual({ lim_1: [25, 0], lim_2: [1, 0] });
  });

  test('counts an overrun in full, reports it, and holds that model at the ratio from then on', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50));
    sample.engine.settle(sample.hold(40), sampleCallEnd(60, { callId: 'dear' }), NOON);
    expect(sample.figures()).toEqual({ lim_1: [60, 0] });
    expect(sample.overran).toEqual(['dear']);
    expect(sample.engine.overruns.ratio(sampleSubject())).toBe(1.5);
    expect(
      sample.engine.overruns.ratio(sampleSubject({ model: 'claude-haiku-4-5', pricedModel: 'claude-haiku-4-5' })),
    ).toBe(1);
  });

  test('of a call that was not sent counts nothing', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50), sampleLimit('lim_2'));
    sample.engine.settle(sample.hold(40), sampleCallEnd(0, { outcome: 'not_sent', counted: sampleNeed(0) }), NOON);
    expect([sample.figures(), sample.engine.counters, sample.overran]).toEqual([{}, 0, []]);
  });

  test('reports the uncertain part', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50));
    const lost = sampleCallEnd(null, {
      outcome: 'lost',
      uncertainReason: 'crash',
      counted: sampleNeed(40),
      usageSource: 'none',
    });
    sample.engine.settle(sample.hold(40), lost, NOON);
    expect(sample.engine.standings(['lim_1'], NOON, 1)).toMatchObject([{ counted: 40, uncertain: 40, left: 10 }]);
  });

  test('exceeds 2^53 and returns, to the nano-dollar', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 10, { action: 'warn', window: 'total' }));
    const most = 9_000_000_000_000_000;
    for (let call = 0; call < 3; call += 1) sample.spend(most);
    const open = sample.hold(most);
    sample.hold(most);
    expect(sample.figures()).toEqual({ lim_1: [27_000_000_000_000_000n, 18_000_000_000_000_000n] });
    sample.settle(open, 1);
    expect(sample.figures()).toEqual({ lim_1: [27_000_000_000_000_001n, most] });
    sample.engine.move([{ counter: 1, windowStart: 0, value: '', counted: -most, uncertain: 0 }], NOON);
    sample.engine.move([{ counter: 1, windowStart: 0, value: '', counted: -most, uncertain: 0 }], NOON);
    sample.engine.move([{ counter: 1, windowStart: 0, value: '', counted: 5, uncertain: 0 }], NOON);
    expect(sample.figures()).toEqual({ lim_1: [most + 6, most] });
  });
});

describe('a new limit', () => {
  test('includes matching calls that run and began in its window', () => {
    const sample = new SampleEngine(sampleLimit('lim_1'));
    const yesterday = sample.hold(5, {}, -DAY);
    const mine = sample.hold(10);
    const other = sample.hold(20, { keyId: 'key_b' });
    const scope = { kind: 'key', keyId: 'key_a' } as const;
    expect(sample.engine.put(sampleBudget('lim_2', 15, { scope }), NOON)).toEqual({
      start: NOON - DAY / 2,
      end: NOON + DAY / 2,
    });
    expect(sample.figures()).toMatchObject({ lim_2: [0, 10] });
    expect(mine.adoptedRefs()).toEqual([{ counter: 2, unit: 'usd', windowStart: NOON - DAY / 2, value: '' }]);
    expect([yesterday.adoptedRefs(), other.adoptedRefs()]).toEqual([undefined, undefined]);
    expect(sample.try(6)).toBe('in_flight lim_2');
    sample.settle(mine, 3);
    expect(sample.figures()).toMatchObject({ lim_2: [3, 0] });
  });

  test('counts its backfill when it arrives', () => {
    const sample = new SampleEngine();
    const before = sample.hold(10);
    sample.engine.put(sampleBudget('lim_1', 50, { countsPast: false }), NOON);
    sample.settle(before, 10);
    sample.engine.move([{ counter: 1, windowStart: NOON - DAY / 2, value: '', counted: 9, uncertain: 0 }], NOON);
    expect(sample.figures()).toEqual({ lim_1: [10, 0] });
    const past = { counter: 1, value: '', counted: 35, uncertain: 5 };
    sample.engine.addPast(
      1,
      [
        { ...past, windowStart: NOON - DAY / 2 },
        { ...past, windowStart: NOON - 2 * DAY },
      ],
      NOON,
    );
    expect(sample.figures()).toEqual({ lim_1: [45, 0] });
    for (const counter of [1, 9]) sample.engine.addPast(counter, [{ ...past, windowStart: NOON - DAY / 2 }], NOON);
    expect(sample.figures()).toEqual({ lim_1: [45, 0] });
  });

  test('admits nothing until its backfill is there', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50));
    sample.spend(50);
    sample.engine.put(sampleBudget('lim_1', 50, { counter: 2, countsPast: false }), NOON);
    expect(sample.try(10)).toBe('in_flight lim_1');
    const past = { counter: 2, windowStart: NOON - DAY / 2, value: '', counted: 50, uncertain: 0 };
    sample.engine.addPast(2, [past], NOON);
    expect(sample.try(10)).toBe('spent lim_1');
  });

  test('admits calls before its backfill if it only warns', () => {
    const sample = new SampleEngine();
    sample.engine.put(sampleBudget('lim_1', 50, { action: 'warn', countsPast: false }), NOON);
    expect(sample.try(10)).toBeInstanceOf(Hold);
  });

  test('admits the calls that wait for its backfill once it only warns', () => {
    const { engine } = new SampleEngine();
    const limit = sampleBudget('lim_1', 50, { countsPast: false });
    engine.put(limit, NOON);
    const steps: string[] = [];
    const waiter = {
      keyId: 'key_1',
      until: 2_000,
      loaded: () => steps.push('loaded'),
      gaveUp: () => steps.push('gave up'),
    };
    expect(engine.awaitCounters(waiter, engine.findCounters(sampleSubject(), NOON))).toBe(true);
    engine.put({ ...limit, action: 'warn' }, NOON);
    expect(steps).toEqual(['loaded']);
    expect(engine.findCounters(sampleSubject(), NOON).every(({ isLoaded }) => isLoaded)).toBe(true);
  });

  test('says that its figures are partial until its backfill is there', () => {
    const { engine } = new SampleEngine();
    const limit = sampleBudget('lim_1', 50, { action: 'warn', countsPast: false });
    engine.put(limit, NOON);
    engine.put(sampleLimit('lim_2', { counter: 2, unit: 'concurrency', countsPast: false }), NOON);
    const standings = () => engine.standings(['lim_1', 'lim_2'], NOON, 1).map(({ isPartial }) => isPartial);
    expect(standings()).toEqual([true, undefined]);
    engine.addPast(1, [], NOON);
    expect(standings()).toEqual([undefined, undefined]);
  });

  test('counts what it admitted as a warning, once it blocks and its backfill is there', () => {
    const sample = new SampleEngine();
    const { engine } = sample;
    const limit = sampleBudget('lim_1', 50, { action: 'warn', countsPast: false });
    engine.put(limit, NOON);
    sample.spend(20);
    const open = sample.hold(10);
    engine.put({ ...limit, action: 'block' }, NOON);
    expect(sample.try(1)).toBe('in_flight lim_1');
    const past = { counter: 1, windowStart: NOON - DAY / 2, value: '', counted: 25, uncertain: 0 };
    engine.addPast(1, [past], NOON);
    expect(sample.figures()).toEqual({ lim_1: [45, 10] });
    expect(sample.try(1)).toBe('in_flight lim_1');
    sample.settle(open, 10);
    expect(sample.figures()).toEqual({ lim_1: [55, 0] });
    expect(sample.try(1)).toBe('spent lim_1');
  });

  test('lets calls wait for its backfill, which then count under it', () => {
    const { engine } = new SampleEngine();
    engine.put(sampleBudget('lim_1', 50, { countsPast: false }), NOON);
    const steps: string[] = [];
    const waiter = {
      keyId: 'key_1',
      until: 2_000,
      loaded: () => steps.push('loaded'),
      gaveUp: () => steps.push('gave up'),
    };
    const unread = engine.findCounters(sampleSubject(), NOON).filter(({ isLoaded }) => !isLoaded);
    expect(unread).toHaveLength(1);
    expect(engine.awaitCounters(waiter, unread)).toBe(true);
    expect([engine.waiting, steps]).toEqual([1, []]);
    engine.addPast(1, [], NOON);
    expect([engine.waiting, steps]).toEqual([0, ['loaded']]);
    expect(engine.findCounters(sampleSubject(), NOON).every(({ isLoaded }) => isLoaded)).toBe(true);
  });

  test('ignores a backfill that arrives after its window', () => {
    const sample = new SampleEngine();
    sample.engine.put(sampleBudget('lim_1', 50, { countsPast: false }), NOON);
    const past = { counter: 1, windowStart: NOON - DAY / 2, value: '', counted: 35, uncertain: 5 };
    sample.engine.addPast(1, [past], NOON + DAY);
    expect(sample.figures(DAY)).toEqual({});
  });

  test('is stored while no end is on its way, which the ledger counts', () => {
    const { engine: ledger, ...sample } = new SampleEngine();
    expect(sample).toBeDefined();
    const who = sampleSubject();
    const [first, second] = [1, 2].map(
      () => ledger.admit(who, ledger.findCounters(who, NOON), sampleNeed(1), NOON) as Hold,
    );
    if (!first || !second) throw new Error('not admitted');
    ledger.ending(first);
    ledger.ending(first);
    ledger.ending(second);
    expect(ledger.pendingEnds).toBe(2);
    ledger.settle(first, sampleCallEnd(1), NOON);
    ledger.release(second, NOON);
    ledger.ending(second);
    expect(ledger.pendingEnds).toBe(0);
  });
});

describe('a changed limit', () => {
  test('keeps its counters if only the amount changes', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50));
    sample.spend(10);
    const open = sample.hold(20);
    expect(sample.engine.put(sampleBudget('lim_1', 25), NOON)).toBeNull();
    expect(sample.figures()).toEqual({ lim_1: [10, 20] });
    expect(sample.try(5)).toBe('in_flight lim_1');
    sample.settle(open, 0);
    expect(sample.try(15)).toBeInstanceOf(Hold);
  });

  test('keeps holds admitted under an ended raise, and admits nothing until there is room again', () => {
    const raise = { amount: 100, until: NOON + 1_000 };
    const sample = new SampleEngine(sampleBudget('lim_1', 50, { raise, thresholds: [] }));
    const [first, second] = [sample.hold(60), sample.hold(40)];
    expect(sample.try(1, {}, 999)).toBe('in_flight lim_1');
    expect(sample.figures(1_000)).toEqual({ lim_1: [0, 100] });
    sample.settle(first, 20, 1_000);
    expect(sample.try(11, {}, 1_000)).toBe('in_flight lim_1');
    sample.settle(second, 5, 1_001);
    expect(sample.hold(25, {}, 1_001)).toBeInstanceOf(Hold);
    expect(sample.crossed).toEqual([]);
  });

  test('is reported as used up when its raise ends below the counted amount', () => {
    const raise = { amount: 100, until: NOON + 1_000 };
    const sample = new SampleEngine(sampleBudget('lim_1', 50, { raise, thresholds: [90] }));
    const open = sample.hold(40);
    sample.spend(50);
    expect([sample.try(20), sample.crossed]).toEqual(['in_flight lim_1', []]);
    sample.settle(open, 30, 1_000);
    expect([sample.try(1, {}, 1_000), sample.crossed]).toEqual(['spent lim_1', [['lim_1', '', 100]]]);
    expect(sample.figures(1_000)).toEqual({ lim_1: [80, 0] });
  });

  test('starts with the running calls if its counters are new, and leaves nothing of the old ones', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50));
    sample.spend(10);
    const open = sample.hold(20);
    sample.engine.put(sampleLimit('lim_1', { counter: 7 }), NOON);
    expect(sample.figures()).toEqual({ lim_1: [0, 1] });
    sample.engine.addPast(1, [{ counter: 1, windowStart: NOON - DAY / 2, value: '', counted: 9, uncertain: 0 }], NOON);
    sample.settle(open, 20);
    expect(sample.figures()).toEqual({ lim_1: [1, 0] });
    expect(sample.engine.counters).toBe(1);
  });

  test('releases its holds when it is removed', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50, { thresholds: [50] }));
    const open = sample.hold(50);
    sample.engine.remove('lim_1', NOON);
    sample.engine.remove('lim_1', NOON);
    expect(sample.try(99)).toBeInstanceOf(Hold);
    sample.settle(open, 50);
    expect([sample.figures(), sample.engine.counters, sample.crossed]).toEqual([{}, 0, []]);
  });
});

describe('corrections', () => {
  const windowStart = NOON - DAY / 2;

  test('move the open window, also if nothing was counted before', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50));
    sample.spend(30);
    const move = { counter: 1, windowStart, value: '' };
    sample.engine.move([{ ...move, counted: -20, uncertain: 0 }], NOON);
    expect(sample.figures()).toEqual({ lim_1: [10, 0] });
    sample.engine.move([{ ...move, counted: -10, uncertain: 0 }], NOON);
    expect([sample.figures(), sample.engine.counters]).toEqual([{}, 0]);
    sample.engine.move([{ ...move, counted: 15, uncertain: 0 }], NOON);
    expect(sample.figures()).toEqual({ lim_1: [15, 0] });
  });

  test('change no ended window, and no removed limit', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50));
    sample.engine.move([{ counter: 1, windowStart: windowStart - DAY, value: '', counted: 20, uncertain: 0 }], NOON);
    sample.engine.move([{ counter: 2, windowStart, value: '', counted: 20, uncertain: 0 }], NOON);
    expect([sample.figures(), sample.engine.counters]).toEqual([{}, 0]);
  });
});

test('on agents that open calls name include those agents, since the ledger does not have them', () => {
  const sample = new SampleEngine();
  const agent = (name: string, parentAgent: string | null) => {
    const context = { session: 's', agent: name, parentAgent, run: null, requestClass: null };
    return { subject: sampleSubject({ context }), context };
  };
  const { engine } = sample;
  const { subject, context } = agent('child', 'parent');
  const hold = engine.admit(subject, [], sampleNeed(1), NOON);
  const scope = { kind: 'each', of: 'agent', keyId: 'key_a' } as const;
  engine.put(sampleBudget('lim_1', 50, { scope }), NOON);
  const again = agent('child', null);
  const waiter = { until: 9, loaded: () => {}, gaveUp: () => {} };
  expect(engine.agents.wait(waiter, { ...subject, session: 's' }, again.context, NOON)).toBe(true);
  engine.agents.answer(1, [{ agent: 'child', parents: [] }]);
  engine.agents.wait(waiter, { ...subject, session: 's' }, again.context, NOON);
  engine.agents.answer(2, [{ agent: 'parent', parents: [] }]);
  expect(engine.agents.findAbove({ ...subject, session: 's' }, again.context, NOON)).toEqual(['parent']);
  expect(engine.countsAgents({ ...subject, keyId: 'key_b' })).toBe(false);
  if (hold instanceof Hold) engine.settle(hold, sampleCallEnd(1), NOON);
  expect(engine.agents.findAbove({ ...subject, session: 's' }, context, NOON)).toEqual([]);
});

test('of several agents of a line that share the counter of further values are held there once', () => {
  const scope = { kind: 'each', of: 'agent', keyId: null } as const;
  const sample = new SampleEngine(sampleLimit('lim_1', { scope, unit: 'concurrency', amount: 30_000 }));
  const context = { session: 's', agent: 'a', parentAgent: null, run: null, requestClass: null };
  for (let agent = 0; agent < 10_000; agent += 1) sample.hold(0, { context: { ...context, agent: `agent ${agent}` } });
  const line = { ...context, agent: 'late', parentAgent: 'parent', olderAgents: ['above'] };
  const found = sample.engine.findCounters(sampleSubject({ context: line }), NOON);
  expect(found.map(({ value }) => value)).toEqual(['(other)']);
});

describe('after a process died', () => {
  const begin = {
    startedAt: NOON - 1,
    touched: [{ counter: 1, unit: 'usd', windowStart: NOON - DAY / 2, value: '' }],
  } as const;
  const lost = sampleCallEnd(null, { outcome: 'lost', uncertainReason: 'crash', counted: sampleNeed(40) });

  test('a call that it left open counts with its whole need, and nothing is held', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 50), sampleBudget('lim_2', 50));
    sample.engine.recover(begin.touched, lost);
    expect(sample.figures()).toEqual({ lim_1: [40, 0] });
  });

  test('the end of a call names limits set while it ran, unless their backfill finds it', () => {
    const sample = new SampleEngine(
      sampleBudget('lim_1', 50),
      sampleLimit('lim_2', { scope: { kind: 'each_tag', key: 'team' } }),
      sampleLimit('lim_3', { countsPast: false }),
      sampleLimit('lim_4', { unit: 'concurrency' }),
      sampleLimit('lim_5', { scope: { kind: 'key', keyId: 'key_b' } }),
      sampleLimit('lim_6', { window: 'hour' }),
    );
    const late = sample.engine.adoptedLate(sampleSubject({ tags: { team: 'red' } }), begin);
    expect(late).toEqual([{ counter: 2, unit: 'calls', windowStart: NOON - DAY / 2, value: 'red' }]);
    sample.engine.recover([...begin.touched, ...late], lost);
    expect(sample.figures()).toEqual({ lim_1: [40, 0], 'lim_2 red': [1, 0] });
  });

  test('the end of a call names a session budget that included it, since no backfill finds the call', () => {
    const scope = { kind: 'each', of: 'session', keyId: null } as const;
    const sample = new SampleEngine(sampleBudget('lim_1', 50), sampleBudget('lim_2', 50, { scope, countsPast: false }));
    const context = { session: 's', agent: null, parentAgent: null, run: null, requestClass: null };
    const late = sample.engine.adoptedLate(sampleSubject({ context }), begin);
    expect(late).toEqual([{ counter: 2, unit: 'usd', windowStart: NOON - DAY / 2, value: 's' }]);
  });

  test('a limit that waits for its backfill admits nothing before', () => {
    const sample = new SampleEngine();
    const states = [{ counter: 1, windowStart: NOON - DAY / 2, value: '', counted: 9, uncertain: 0 }];
    sample.engine.load([sampleBudget('lim_1', 50, { countsPast: false })], states, NOON);
    sample.engine.recover(begin.touched, lost);
    expect(sample.figures()).toEqual({});
    sample.engine.addPast(1, states, NOON);
    expect(sample.figures()).toEqual({ lim_1: [9, 0] });
  });
});

describe('thresholds', () => {
  test('are alerted once, the highest that was passed, and 100 always', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100, { thresholds: [50, 80], action: 'warn' }));
    for (const usd of [49, 1, 10, 30, 5, 5, 50]) sample.spend(usd);
    expect(sample.crossed).toEqual([
      ['lim_1', '', 50],
      ['lim_1', '', 80],
      ['lim_1', '', 100],
    ]);
    sample.spend(100, {}, DAY);
    expect(sample.crossed.slice(3)).toEqual([['lim_1', '', 100]]);
  });

  test('of a limit that counts observed calls too are left to the ledger', () => {
    const limit = sampleBudget('lim_1', 100, { thresholds: [50], action: 'warn', countsObserved: true });
    const sample = new SampleEngine(limit);
    for (const usd of [60, 60]) sample.spend(usd);
    expect([sample.crossed, sample.figures()]).toEqual([[], { lim_1: [120, 0] }]);
  });

  test('a used-up limit is alerted once, whatever small calls still fit', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100, { thresholds: [50, 95] }));
    sample.spend(96);
    for (let again = 0; again < 3; again += 1) {
      const who = sampleSubject();
      const blocked = sample.engine.admit(who, sample.engine.findCounters(who, NOON), sampleNeed(50), NOON);
      if (blocked instanceof Hold) throw new Error('It has room.');
      sample.noteRefusal(blocked);
      sample.spend(1);
    }
    expect(sample.crossed.map(([, , threshold]) => threshold)).toEqual([95, 100]);
  });

  test('a limit of zero that refuses calls is alerted once per window, for a bounded number of values', () => {
    const refused = (sample: SampleEngine, tags: Record<string, string>, now = NOON): void => {
      const who = sampleSubject({ tags });
      const blocked = sample.engine.admit(who, sample.engine.findCounters(who, now), sampleNeed(50), now);
      if (blocked instanceof Hold) throw new Error('It has room.');
      sample.noteRefusal(blocked, {}, now);
    };
    const one = new SampleEngine(sampleBudget('lim_1', 0));
    const found = ['lim_1', '', 100];
    for (let again = 0; again < 3; again += 1) refused(one, {});
    expect(one.crossed).toEqual([found]);
    refused(one, {}, NOON + DAY);
    expect(one.crossed).toEqual([found, found]);
    const atOnce = new SampleEngine(sampleLimit('lim_1', { unit: 'concurrency', amount: 0, window: 'total' }));
    refused(atOnce, {});
    expect(atOnce.crossed).toEqual([]);
    const each = new SampleEngine(sampleBudget('lim_1', 0, { scope: { kind: 'each_tag', key: 'user' } }));
    for (const times of [1, 2])
      for (let user = 0; user < ALERTED_VALUES_MAX + 9; user += 1) refused(each, { user: `${user * times}` });
    expect(each.crossed.length).toBe(ALERTED_VALUES_MAX);
    expect(each.last).toEqual([`lim_1 ${ALERTED_VALUES_MAX - 1}`]);
    expect(each.engine.counters).toBe(0);
  });

  test('are alerted for a new amount even if they were for the one before', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100, { thresholds: [50] }));
    sample.spend(100);
    sample.engine.put(sampleBudget('lim_1', 102, { thresholds: [50] }), NOON);
    sample.engine.put(sampleBudget('lim_1', 102, { thresholds: [50] }), NOON);
    expect(sample.crossed.map(([, , threshold]) => threshold)).toEqual([100, 50]);
  });

  test('are alerted again after a correction or a raise took them back', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100, { thresholds: [50] }));
    sample.spend(60);
    sample.engine.put(sampleBudget('lim_1', 200, { thresholds: [50] }), NOON);
    sample.spend(60);
    const move = { counter: 1, windowStart: NOON - DAY / 2, value: '', uncertain: 0 };
    sample.engine.move([{ ...move, counted: -60 }], NOON);
    sample.engine.move([{ ...move, counted: 60 }], NOON);
    expect(sample.crossed).toEqual([
      ['lim_1', '', 50],
      ['lim_1', '', 50],
      ['lim_1', '', 50],
    ]);
  });

  test('are not alerted for concurrent calls, nor for holds', () => {
    const sample = new SampleEngine(
      sampleLimit('lim_1', { unit: 'concurrency', amount: 1, thresholds: [50] }),
      sampleBudget('lim_2', 10),
    );
    sample.hold(10);
    expect(sample.crossed).toEqual([]);
  });
});

test('a client that sends a new value on every call uses bounded memory', () => {
  const sample = new SampleEngine(
    sampleBudget('lim_1', 10, { scope: { kind: 'each_tag', key: 'user' }, thresholds: [50, 80, 95], action: 'warn' }),
    sampleBudget('lim_2', 1_000_000, { window: 'total', scope: { kind: 'each_tag', key: 'user' } }),
  );
  const touched = new Set<string>();
  for (let user = 0; user < 50_000; user += 1) {
    const hold = sample.hold(9, { tags: { user: `${user}` } });
    for (const { counter, value } of hold.counterRefs()) touched.add(`${counter} ${value}`);
    sample.settle(hold, 9);
  }
  expect(sample.engine.counters).toBe(2 * (VALUES_PER_LIMIT_MAX / 2 + 1));
  expect(touched.size).toBe(sample.engine.counters);
  expect(sample.crossed.length).toBe(ALERTED_VALUES_MAX);
  expect(sample.last).toEqual(['lim_1 99']);
  const others = (VALUES_PER_LIMIT_MAX / 2 - 50_000) * -9;
  expect(sample.figures()['lim_2 (other)']).toEqual([others, 0]);
  sample.spend(9, { tags: { user: 'tomorrow' } }, DAY);
  expect(sample.crossed.length).toBe(ALERTED_VALUES_MAX + 1);
});

test('a key that sends a new value on every call blocks no user of another key', () => {
  const sample = new SampleEngine(sampleBudget('lim_1', 10, { scope: { kind: 'each_tag', key: 'user' } }));
  const admits = (keyId: string, user: string) => {
    const subject = sampleSubject({ keyId, tags: { user } });
    return sample.engine.blocked(
      subject,
      sample.engine.findCounters(subject, NOON),
      { usd: 9, inputTokens: 0, outputTokens: 0 },
      NOON,
    );
  };
  // The last of these calls uses up what further values share.
  for (let user = 0; user <= VALUES_PER_LIMIT_MAX / 2; user += 1)
    sample.spend(9, { keyId: 'key_1', tags: { user: `${user}` } });
  expect(admits('key_1', 'further')).not.toBeNull();
  expect([admits('key_2', 'bob'), admits('key_2', 'carol')]).toEqual([null, null]);
});

describe('values loaded from the ledger', () => {
  const each = sampleBudget('lim_1', 100, { window: 'total', scope: { kind: 'each_tag', key: 'user' } });
  const state = (value: string, counted: number, uncertain = 0) => ({
    counter: 1,
    windowStart: 0,
    value,
    counted,
    uncertain,
  });
  const of = (sample: SampleEngine, user: string) => {
    const [counter] = sample.engine.findCounters(sampleSubject({ tags: { user } }), NOON);
    return [counter?.value, counter?.counted];
  };
  const full = Array.from({ length: VALUES_PER_LIMIT_MAX + 1 }, (_, user) => state(`${user}`, 50));
  const last = `${VALUES_PER_LIMIT_MAX}`;

  test('are kept separate up to the maximum, in addition to calls and values without a place', () => {
    const sample = new SampleEngine();
    sample.engine.load([each], [state('(none)', 1), state('(other)', 1), ...full.slice(1)], NOON);
    expect(sample.engine.counters).toBe(VALUES_PER_LIMIT_MAX + 2);
    expect([of(sample, last), of(sample, 'new')]).toEqual([
      [last, 50],
      ['(other)', 1],
    ]);
  });

  test('without a place are corrected in the shared counter, even if others have left theirs', () => {
    const sample = new SampleEngine();
    sample.engine.load([each], full, NOON);
    expect(of(sample, last)).toEqual(['(other)', 50]);
    sample.engine.move([state('0', -50), state('1', -50)], NOON);
    sample.hold(10, { tags: { user: last } });
    sample.engine.move([state(last, -50)], NOON);
    const [counter] = sample.engine.findCounters(sampleSubject({ tags: { user: last } }), NOON);
    expect(counter).toMatchObject({ value: '(other)', counted: 0, held: 10 });
  });

  test('take no place if their sum is zero', () => {
    const sample = new SampleEngine();
    sample.engine.load([each], [...full.map(({ value }) => state(value, 0)), state('ann', 90)], NOON);
    expect([sample.engine.counters, of(sample, 'ann'), of(sample, 'new')]).toEqual([1, ['ann', 90], ['new', 0]]);
  });

  test('without a place take calls along that found the counter before', () => {
    const sample = new SampleEngine();
    sample.engine.load([{ ...each, countsPast: false }], [], NOON);
    const who = sampleSubject({ tags: { user: last } });
    const stale = sample.engine.findCounters(who, NOON);
    sample.engine.addPast(1, full, NOON);
    const hold = sample.engine.admit(who, stale, sampleNeed(10), NOON) as Hold;
    expect(hold.counterRefs()).toMatchObject([{ value: '(other)' }]);
  });
});

test('empty counters are dropped', () => {
  const sample = new SampleEngine(sampleBudget('lim_1', 50, { scope: { kind: 'each_tag', key: 'team' } }));
  const found: LimitCounter[] = [];
  for (let team = 0; team < 100; team += 1)
    found.push(...sample.engine.findCounters(sampleSubject({ tags: { team: `${team}` } }), NOON));
  expect([found.length, sample.engine.counters]).toEqual([100, 0]);
  sample.engine.release(sample.hold(5, { tags: { team: 'red' } }), NOON);
  expect(sample.engine.counters).toBe(0);
  sample.spend(5, { tags: { team: 'red' } });
  sample.spend(5, { tags: { team: 'red' } }, DAY);
  expect(sample.engine.counters).toBe(1);
});

test('the fullest counters are first, and of one limit no more than requested', () => {
  const sample = new SampleEngine(sampleBudget('lim_1', 50, { scope: { kind: 'each_tag', key: 'team' } }));
  for (const [team, usd] of [
    ['red', 5],
    ['blue', 20],
    ['green', 10],
  ] as const)
    sample.spend(usd, { tags: { team } });
  const names = sample.engine.standings(['lim_1'], NOON, 2).map(({ value, left }) => [value, left]);
  expect(names).toEqual([
    ['blue', 30],
    ['green', 40],
  ]);
  // What is set aside fills a counter, too.
  sample.hold(16, { tags: { team: 'red' } });
  const asked = sample.engine.standings(['lim_none', 'lim_1'], NOON, 2);
  expect(asked.map(({ value, held }) => [value, held])).toEqual([
    ['red', 16],
    ['blue', 0],
  ]);
});

test('a key sees the limits of its calls and its own value of a tag, and nothing of others', () => {
  const sample = new SampleEngine(
    sampleLimit('lim_1'),
    sampleLimit('lim_2', { scope: { kind: 'key', keyId: 'key_a' } }),
    sampleLimit('lim_3', { scope: { kind: 'key', keyId: 'key_b' } }),
    sampleLimit('lim_4', { scope: { kind: 'provider', provider: 'anthropic' } }),
    sampleLimit('lim_5', { scope: { kind: 'provider', provider: 'openai' } }),
    sampleLimit('lim_6', { scope: { kind: 'model', pattern: 'claude-*' } }),
    sampleLimit('lim_7', { scope: { kind: 'tag', key: 'team', value: 'red' } }),
    sampleLimit('lim_8', { scope: { kind: 'tag', key: 'team', value: 'blue' } }),
    sampleLimit('lim_9', { scope: { kind: 'each_tag', key: 'team' } }),
    sampleLimit('lim_10', { scope: { kind: 'each_tag', key: 'user' } }),
    sampleLimit('lim_11', { workspaceId: 'ws_b' }),
  );
  sample.spend(1, { tags: { team: 'red', user: 'ann' } });
  sample.spend(1, { keyId: 'key_b', tags: { team: 'blue' } });
  const key = { workspaceId: 'ws_a', keyId: 'key_a', provider: 'anthropic', tags: { team: 'red' } };
  const seen = sample.engine
    .keyCounters(key, NOON)
    .map((counter) => counter.standing(NOON))
    .map(({ limit, value, counted }) => `${limit.id} ${value} ${counted}`);
  expect(seen.toSorted()).toEqual(['lim_1  2', 'lim_2  1', 'lim_4  2', 'lim_6  2', 'lim_7  1', 'lim_9 red 1']);
  const other = { ...key, keyId: 'key_c', tags: { team: 'green' } };
  expect(
    sample.engine
      .keyCounters(other, NOON)
      .find(({ limit }) => limit.id === 'lim_9')
      ?.standing(NOON).counted,
  ).toBe(0);
  expect(sample.engine.keyCounters({ ...key, workspaceId: 'ws_none' }, NOON)).toEqual([]);
});

test('a key sees the counter of the session that it names, and none without a name', () => {
  const sample = new SampleEngine(sampleLimit('lim_1', { scope: { kind: 'each', of: 'session', keyId: null } }));
  const key = { workspaceId: 'ws_a', keyId: 'key_a', provider: 'anthropic', tags: {} };
  expect(sample.engine.keyCounters(key, NOON)).toEqual([]);
  const context = { ...NO_CONTEXT, session: 'one' };
  const [counter, ...others] = sample.engine.keyCounters({ ...key, context }, NOON);
  expect([counter?.value, counter?.isLoaded, others]).toEqual(['one', false, []]);
});

test('a limit that only warns, or that frees with the call, is the tightest only if there is no other', () => {
  const mild = [
    sampleBudget('lim_1', 100, { action: 'warn' }),
    sampleLimit('lim_2', { unit: 'concurrency', amount: 2 }),
  ];
  const tightestOf = (...limits: Limit[]) => {
    const sample = new SampleEngine(...limits);
    sample.hold(10);
    return sample.engine.tightest(sample.hold(10), NOON)?.limit.id;
  };
  expect(tightestOf(...mild, sampleBudget('lim_3', 1_000))).toBe('lim_3');
  expect(tightestOf(...mild)).toBe('lim_2');
});

test('the tightest limit of a call is the one with the smallest share left', () => {
  const sample = new SampleEngine(sampleBudget('lim_1', 50), sampleLimit('lim_2', { amount: 2 }));
  const hold = sample.hold(10);
  expect(sample.engine.tightest(hold, NOON)).toMatchObject({ limit: { id: 'lim_2' }, left: 1 });
  expect(sample.engine.tightest(new SampleEngine().hold(1), NOON)).toBeNull();
});

test('the amount left for further calls ignores the hold of an open call, and includes its cost once it ended', () => {
  const sample = new SampleEngine(sampleBudget('lim_1', 50));
  const [hold, other] = [sample.hold(30), sample.hold(5)];
  expect(sample.engine.tightest(hold, NOON)).toMatchObject({ left: 45, held: 5 });
  expect(sample.engine.tightest(other, NOON)).toMatchObject({ left: 20, held: 30 });
  sample.settle(hold, 8);
  expect(sample.engine.tightest(hold, NOON)).toMatchObject({ left: 37, held: 5 });
  expect(sample.engine.tightest(other, NOON)).toMatchObject({ left: 42, held: 0 });
});

describe('abandoned calls that are cut off', () => {
  test('count for at most 5% of a shared limit for each key', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 1_000));
    const leave = (usd: number, keyId: string) => mayBreakOff(sample.hold(usd, { keyId }), NOON);
    expect([leave(30, 'key_a'), leave(21, 'key_a'), leave(20, 'key_a'), leave(1, 'key_a')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(leave(50, 'key_b')).toBe(true);
  });

  test('count no more when many calls end together', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 1_000));
    const holds = Array.from({ length: 20 }, () => sample.hold(50));
    expect(holds.filter((hold) => mayBreakOff(hold, NOON))).toHaveLength(1);
  });

  test.each([
    ['only warns', { action: 'warn' }],
    ['covers one key', { scope: { kind: 'key', keyId: 'key_a' } }],
    ['counts calls', { unit: 'calls', amount: 1 }],
    ['counts concurrent calls', { unit: 'concurrency', amount: 1 }],
  ] as const)('are not restricted by a limit that %s', (_, change) => {
    const sample = new SampleEngine(sampleBudget('lim_1', 10, change));
    expect(mayBreakOff(sample.hold(10), NOON)).toBe(true);
  });

  test('start at zero in the next window', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100));
    const early = [sample.hold(5), sample.hold(5)] as const;
    expect(mayBreakOff(early[0], NOON)).toBe(true);
    expect(mayBreakOff(sample.hold(5, {}, DAY), NOON + DAY)).toBe(true);
    // It counts under a window that is over.
    expect(mayBreakOff(early[1], NOON + DAY)).toBe(true);
  });
});

test('a key that runs out of values is reported once, and others are not', () => {
  const sample = new SampleEngine(sampleBudget('lim_1', 1_000_000, { scope: { kind: 'each_tag', key: 'user' } }));
  for (let user = 0; user <= VALUES_PER_LIMIT_MAX / 2 + 1; user++) sample.hold(1, { tags: { user: `${user}` } });
  expect(sample.outOfValues).toEqual(['lim_1 key_a']);
  sample.hold(1, { keyId: 'key_b', tags: { user: 'bob' } });
  expect(sample.outOfValues).toHaveLength(1);
});
