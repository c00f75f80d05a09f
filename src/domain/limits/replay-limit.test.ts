import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../time/units.ts';
import {
  countFitting,
  holdOfShortest,
  LimitReplay,
  type ReplayCounts,
  type ReplayedCall,
  summarizeHolds,
} from './replay-limit.ts';

const ZONES = [{ zone: 'UTC', since: 0 }];

function createCall(startedAt: number, hold: number | null, changes: Partial<ReplayedCall> = {}): ReplayedCall {
  return { startedAt, endedAt: startedAt + 100, values: [''], hold, counted: hold ?? 0, shortest: null, ...changes };
}

function replay(
  amount: number,
  calls: readonly ReplayedCall[],
  window: 'minute' | 'hour' | 'total' = 'hour',
  counted = new Map<string, number>(),
): ReplayCounts {
  const replayed = new LimitReplay({ amount, window, zones: ZONES, counted });
  for (const call of calls) replayed.add(call);
  return replayed.finish();
}

test('consecutive calls that fit pass; the first one beyond the amount is refused', () => {
  const calls = [0, 200, 400, 600].map((at) => createCall(at, 30));
  expect(replay(100, calls)).toEqual({ calls: 4, refused: 1, shortened: 0, waited: 0 });
});

test('a window starts at zero, and the first window at the usage before it', () => {
  const calls = [createCall(0, 60), createCall(HOUR_MS, 60), createCall(HOUR_MS + 500, 60)];
  expect(replay(100, calls, 'hour', new Map([['', 50]]))).toMatchObject({ refused: 2 });
  expect(replay(100, calls, 'total', new Map([['', 50]]))).toMatchObject({ refused: 3 });
});

test('a call that fits after another one ends waits for at most two seconds', () => {
  const long = (endedAt: number) => createCall(0, 60, { endedAt, counted: 10 });
  expect(replay(100, [long(1_500), createCall(10, 60)])).toMatchObject({ refused: 0, waited: 1 });
  expect(replay(100, [long(2_500), createCall(10, 60)])).toMatchObject({ refused: 1, waited: 0 });
});

test('a call that does not fit in full is shortened if its shortest form fits', () => {
  const first = createCall(0, 60);
  expect(replay(100, [first, createCall(200, 60, { shortest: 40 })])).toMatchObject({ refused: 0, shortened: 1 });
  expect(replay(100, [first, createCall(200, 60, { shortest: 41 })])).toMatchObject({ refused: 1, shortened: 0 });
});

test('a shortened call leaves half of the remaining amount to others', () => {
  const calls = [createCall(0, 40), ...[200, 400].map((at) => createCall(at, 90, { shortest: 10 }))];
  expect(replay(100, calls)).toMatchObject({ refused: 0, shortened: 2 });
});

test('a call is refused instead of shortened if the next window has room for it within a minute', () => {
  const calls = [createCall(0, 60), createCall(200, 60, { shortest: 10 })];
  expect(replay(100, calls, 'minute')).toMatchObject({ refused: 1, shortened: 0 });
});

test('a call without a price is refused; a free call passes', () => {
  expect(replay(0, [createCall(0, null), createCall(1, 0)])).toMatchObject({ calls: 2, refused: 1 });
});

test('each value has its own amount, and a call passes only if it fits under all its values', () => {
  const calls = [
    createCall(0, 60, { values: ['a'] }),
    createCall(200, 60, { values: ['b'] }),
    createCall(400, 60, { values: ['c', 'a'] }),
    createCall(600, 60, { values: ['c'] }),
  ];
  expect(replay(100, calls)).toMatchObject({ refused: 1 });
});

test('the replay agrees with a plain simulation on random calls', () => {
  const calls = fc.array(
    fc.record({
      gap: fc.integer({ min: 0, max: 1_500 }),
      duration: fc.integer({ min: 0, max: 6_000 }),
      values: fc.constantFrom([''], ['a'], ['a', 'b']),
      hold: fc.option(fc.integer({ min: 0, max: 60 }), { nil: null, freq: 10 }),
      part: fc.integer({ min: 0, max: 10 }),
      shortest: fc.option(fc.integer({ min: 1, max: 30 }), { nil: null }),
    }),
    { maxLength: 60 },
  );
  const windows = fc.constantFrom('minute', 'hour', 'total');
  fc.assert(
    fc.property(calls, fc.integer({ min: 0, max: 200 }), windows, (list, amount, window) => {
      let startedAt = 59 * MINUTE_MS + 30 * SECOND_MS;
      const replayed = list.map(({ gap, duration, values, hold, part, shortest }) => {
        startedAt += gap;
        const counted = Math.floor(((hold ?? 0) * part) / 10);
        return { startedAt, endedAt: startedAt + duration, values, hold, counted, shortest };
      });
      expect(replay(amount, replayed, window)).toEqual(simulate(amount, replayed, window));
    }),
    { numRuns: 2_000 },
  );
});

interface SimulatedCall {
  readonly call: ReplayedCall;
  /** Amount of each period in which it holds or counted something. */
  need: number;
  fate: 'waiting' | 'running' | 'ended' | 'refused';
  has: 'nothing' | 'waited' | 'shortened';
  readonly window: string;
  readonly windowEnd: number;
}

/** Simulates by the list of all calls, without counters or a queue of events. */
function simulate(amount: number, calls: readonly ReplayedCall[], window: 'minute' | 'hour' | 'total'): ReplayCounts {
  const all: SimulatedCall[] = [];
  const agenda: { at: number; run: (at: number) => void }[] = [];
  const length = window === 'minute' ? MINUTE_MS : window === 'hour' ? HOUR_MS : Infinity;
  const used = (one: SimulatedCall, value: string): { counted: number; held: number } => {
    const sums = { counted: 0, held: 0 };
    for (const { call, window: name, fate, need } of all) {
      if (name !== one.window || !call.values.includes(value)) continue;
      if (fate === 'running') sums.held += need;
      if (fate === 'ended') sums.counted += need < (call.hold ?? 0) ? Math.min(call.counted, need) : call.counted;
    }
    return sums;
  };
  const fits = (one: SimulatedCall, besides: 'all' | 'ended'): boolean =>
    one.call.values.every((value) => {
      const { counted, held } = used(one, value);
      return counted + (besides === 'all' ? held : 0) + one.need <= amount;
    });
  const start = (one: SimulatedCall, at: number): boolean => {
    if (one.need > 0 && !fits(one, 'all')) return false;
    if (one.need < (one.call.hold ?? 0)) one.has = 'shortened';
    else if (one.fate === 'waiting' && isListed(one)) one.has = 'waited';
    one.fate = 'running';
    agenda.push({ at: at + one.call.endedAt - one.call.startedAt, run: (now) => end(one, now) });
    return true;
  };
  const listed = new Set<SimulatedCall>();
  const isListed = (one: SimulatedCall): boolean => listed.has(one);
  const wait = (one: SimulatedCall, at: number): boolean => {
    if (listed.has(one) || !fits(one, 'ended')) return false;
    listed.add(one);
    agenda.push({ at: at + 2_000, run: (now) => one.fate === 'waiting' && shorten(one, now) });
    return true;
  };
  const shorten = (one: SimulatedCall, at: number): void => {
    const { call, need } = one;
    const isSoon = need <= amount && !fits(one, 'ended') && one.windowEnd - at <= MINUTE_MS;
    if (call.shortest !== null && call.shortest < need && !isSoon) {
      const left = Math.min(...call.values.map((value) => amount - used(one, value).counted - used(one, value).held));
      one.need = Math.max(call.shortest, Math.min(need, Math.floor(left / 2)));
      if (start(one, at) || wait(one, at)) return;
    }
    one.fate = 'refused';
  };
  const end = (one: SimulatedCall, at: number): void => {
    one.fate = 'ended';
    for (const value of one.call.values)
      for (const other of listed) {
        const isBehind = other.window === one.window && other.call.values.includes(value);
        if (!isBehind || other.fate !== 'waiting' || start(other, at) || fits(other, 'ended')) continue;
        shorten(other, at);
      }
  };
  const run = (until: number): void => {
    for (;;) {
      const next = agenda.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
      if (!next) return;
      agenda.splice(agenda.indexOf(next), 1);
      next.run(next.at);
    }
  };
  let unpriced = 0;
  for (const call of calls) {
    run(call.startedAt);
    if (call.hold === null) {
      unpriced += 1;
      continue;
    }
    const begin = length === Infinity ? 0 : Math.floor(call.startedAt / length) * length;
    const one: SimulatedCall = {
      call,
      need: call.hold,
      fate: 'waiting',
      has: 'nothing',
      window: String(begin),
      windowEnd: begin + length,
    };
    all.push(one);
    if (!start(one, call.startedAt) && !wait(one, call.startedAt)) shorten(one, call.startedAt);
  }
  run(Infinity);
  return {
    calls: calls.length,
    refused: unpriced + all.filter(({ fate }) => fate === 'refused').length,
    shortened: all.filter(({ has }) => has === 'shortened').length,
    waited: all.filter(({ has }) => has === 'waited').length,
  };
}

test('a limit that fits all calls changes nothing, and a limit of zero refuses every call with a cost', () => {
  const holds = fc.array(fc.integer({ min: 1, max: 1_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(holds, (list) => {
      const calls = list.map((hold, index) => createCall(index * 10, hold, { shortest: 1 }));
      const total = list.reduce((sum, hold) => sum + hold, 0);
      expect(replay(total, calls, 'total')).toEqual({ calls: list.length, refused: 0, shortened: 0, waited: 0 });
      expect(replay(0, calls, 'total')).toMatchObject({ refused: list.length });
    }),
  );
});

test('the figures of holds are those of calls', () => {
  expect(summarizeHolds([])).toBeNull();
  expect(summarizeHolds([7])).toEqual({ median: 7, p95: 7, max: 7 });
  const holds = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(summarizeHolds(holds)).toEqual({ median: 50, p95: 95, max: 100 });
});

test('an unused amount admits as many calls as fit in full', () => {
  expect([countFitting(100, 30), countFitting(100, 101), countFitting(0, 1), countFitting(1, 0)]).toEqual([
    3,
    0,
    0,
    null,
  ]);
});

test('the shortest form of a call is the policy’s minimum output', () => {
  const hold = { usd: 1_000_000_000, inputTokens: 1_000, outputTokens: 32_000 };
  const terms = { minOutputTokens: 4_096, outputPrice: 25_000_000 };
  expect(holdOfShortest('usd', hold, terms)).toBe(1_000_000_000 - 27_904 * 25_000);
  expect(holdOfShortest('tokens', hold, terms)).toBe(5_096);
  expect(holdOfShortest('input_tokens', hold, terms)).toBe(1_000);
  expect(holdOfShortest('output_tokens', { ...hold, outputTokens: 100 }, terms)).toBe(100);
  expect(holdOfShortest('calls', hold, terms)).toBeNull();
  expect(holdOfShortest('usd', hold, { ...terms, outputPrice: null })).toBeNull();
  expect(holdOfShortest('usd', hold, { ...terms, outputPrice: 99_000_000 })).toBeNull();
  expect(holdOfShortest('tokens', hold, { ...terms, minOutputTokens: null })).toBeNull();
});
