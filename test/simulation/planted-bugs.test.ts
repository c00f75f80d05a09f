import { afterEach, describe, expect, test, vi } from 'vitest';
import { amountIn, countedIn, uncertainIn } from '../../src/domain/limits/counting.ts';
import type { LimitWindow, ZoneChange } from '../../src/domain/limits/limit.ts';
import { addWhole } from '../../src/domain/money/money.ts';
import type { Period } from '../../src/domain/time/period.ts';
import { settleCall } from '../../src/domain/usage/settle.ts';
import { TurnJournal } from '../../src/journal/turn-journal.ts';
import { RefusalLog } from '../../src/gateway/proxy/refusal-log.ts';
import { LimitChanges } from '../../src/gateway/waiting-limit-changes.ts';
import { Hold } from '../../src/limits/hold.ts';
import { CounterSeries } from '../../src/limits/counter-series.ts';
import { AdmissionQueue } from '../../src/limits/admission-queue.ts';
import { AS_IT_IS, type Wiring } from './gateway.ts';
import { drawPlan, type Failure, play, shrink } from './simulate.ts';

// What finds nothing proves nothing: each of these mistakes is made on purpose, and the simulation must see it.

type WindowAt = (window: LimitWindow, at: number, zones: readonly ZoneChange[]) => Period;
const calendar = vi.hoisted(() => ({ bug: null as ((right: WindowAt) => WindowAt) | null }));
vi.mock('../../src/domain/time/window.ts', async (importOriginal) => {
  const original = await importOriginal<{ windowAt: WindowAt }>();
  const windowAt: WindowAt = (...args) => (calendar.bug?.(original.windowAt) ?? original.windowAt)(...args);
  return { ...original, windowAt };
});

const HOUR = 3_600_000;

afterEach(() => {
  calendar.bug = null;
  vi.restoreAllMocks();
});

interface Bug {
  readonly name: string;
  readonly wiring?: Partial<Wiring>;
  /** Schedules, from the first seed on, among which one finds it. */
  readonly within: number;
  /** Tried first: the first seed that found it. After a change of the simulation another one does, which takes longer. */
  readonly foundBy?: number;
  /** Steps of every schedule; absent = each has its own. */
  readonly length?: number;
  /** The invariant that is broken first, as the README numbers them. */
  readonly breaks: RegExp;
  readonly plant?: () => void;
}

const bugs: readonly Bug[] = [
  {
    name: 'a forgotten hold',
    wiring: {
      rewire(ledger) {
        const { admit } = ledger;
        ledger.admit = (...args) => {
          const hold = admit.apply(ledger, args);
          const [first] = hold instanceof Hold ? hold.counters : [];
          if (first && hold instanceof Hold) first.release(amountIn(first.limit.unit, hold.need));
          return hold;
        };
      },
    },
    within: 10,
    breaks: /^1: /,
  },
  {
    name: 'a hold that is never released, of a call whose begin could not be written',
    wiring: {
      rewire(ledger) {
        ledger.release = () => {};
      },
    },
    within: 50,
    breaks: /^1: /,
  },
  {
    name: 'an admission that ignores the holds of others',
    wiring: {
      rewire(ledger) {
        const { admit } = ledger;
        ledger.admit = (subject, counters, need, now) => {
          const held = counters.map((counter) => counter.held);
          for (const counter of counters) counter.held = 0;
          const outcome = admit.call(ledger, subject, counters, need, now);
          for (const [index, counter] of counters.entries()) counter.held = addWhole(counter.held, held[index] ?? 0);
          return outcome;
        };
      },
    },
    within: 30,
    breaks: /^2: /,
  },
  {
    name: 'a call that is sent before its begin is durable',
    plant() {
      const { begin } = TurnJournal.prototype;
      vi.spyOn(TurnJournal.prototype, 'begin').mockImplementation(function (this: TurnJournal, call, committed) {
        const open = begin.call(this, call, () => {});
        committed(null);
        return open;
      });
    },
    within: 10,
    breaks: /^4: /,
  },
  {
    name: 'a double settle',
    wiring: {
      rewire(ledger) {
        const { settle } = ledger;
        ledger.settle = (hold, end, now) => {
          settle.call(ledger, hold, end, now);
          for (const counter of hold.counters)
            counter.count(countedIn(counter.limit.unit, end), uncertainIn(counter.limit.unit, end));
        };
      },
    },
    within: 10,
    breaks: /^6\/8: /,
  },
  {
    name: 'a window off by one: it ends a millisecond late',
    plant() {
      const { roll } = CounterSeries.prototype;
      vi.spyOn(CounterSeries.prototype, 'roll').mockImplementation(function (this: CounterSeries, now) {
        roll.call(this, now - 1);
      });
    },
    within: 200,
    breaks: /^(1|6\/8|8): /,
  },
  {
    name: 'days of 24 hours where clocks change',
    plant() {
      calendar.bug = (right) => (window, at, zones) => {
        const { start, end } = right(window, at, zones);
        return window === 'day' ? { start, end: start + 24 * HOUR } : { start, end };
      };
    },
    within: 2_000,
    foundBy: 664,
    breaks: /^(1|6\/8|8): /,
  },
  {
    name: 'a bound too small by one byte of the prompt',
    wiring: { reads: (demand) => ({ ...demand, textBytes: Math.max(1, demand.textBytes - 1) }) },
    within: 50,
    breaks: /^(3|5): /,
  },
  {
    name: 'a bound that overlooks writes to the cache',
    wiring: { reads: (demand) => ({ ...demand, cacheWrites: 'none' }) },
    within: 500,
    breaks: /^(3|5): /,
  },
  {
    name: 'a mark written early: before its entries, of which the transaction then fails',
    wiring: { marksEarly: true },
    within: 200,
    breaks: /^7: /,
  },
  {
    name: 'a settlement before the end is durable',
    wiring: { settlesEarly: true },
    within: 10,
    breaks: /^6: /,
  },
  {
    name: 'a settlement at zero for an unknown charge',
    wiring: {
      settleCall: (begin, seen, resolve) => {
        const end = settleCall(begin, seen, resolve);
        return end.uncertainReason === 'timeout'
          ? { ...end, counted: { usd: 0, inputTokens: 0, outputTokens: 0 } }
          : end;
      },
    },
    within: 100,
    breaks: /^5: /,
  },
  {
    name: 'an end that forgets limits that were created during its call',
    wiring: { forgetsAdoption: true },
    within: 100,
    breaks: /^8: /,
  },
  {
    name: 'a begin that does not name its counters',
    wiring: { written: (begin) => ({ ...begin, touched: [] }) },
    within: 10,
    breaks: /^(6\/8|8): /,
  },
  {
    name: 'a limit that is applied while an end is being written to the journal',
    wiring: { installsAnyTime: true },
    within: 500,
    breaks: /^(3|6\/8|8): /,
  },
  {
    name: 'a counter moved twice by a backfill',
    wiring: {
      rewire(ledger) {
        const { addPast } = ledger;
        ledger.addPast = (counter, states, now) => {
          addPast.call(ledger, counter, states, now);
          ledger.move([...states] as Parameters<typeof ledger.move>[0], now);
        };
      },
    },
    within: 50,
    breaks: /^(6\/8|alert): /,
  },
  {
    name: 'a corrected entry that the gateway does not learn of',
    wiring: { receives: ({ type }) => type !== 'counters-moved' },
    within: 100,
    breaks: /^(6\/)?8: /,
  },
  {
    name: 'a clock that follows the wall clock back',
    wiring: { clock: (_now, wall) => wall },
    within: 10,
    breaks: /^10: /,
  },
  {
    name: 'a call that waits and is never woken when there is room',
    plant() {
      vi.spyOn(AdmissionQueue.prototype, 'wake').mockImplementation(() => {});
    },
    within: 100,
    breaks: /^9: /,
  },
  {
    name: 'a threshold without an alert',
    plant() {
      vi.spyOn(CounterSeries.prototype, 'mayAlert').mockReturnValue(false);
    },
    within: 100,
    breaks: /^alert: /,
  },
  {
    name: 'an overrun that does not raise the holds of later calls',
    wiring: {
      rewire(ledger) {
        ledger.overruns.ratio = () => 1;
      },
    },
    within: 100,
    breaks: /^3: /,
  },
  {
    name: 'a session that is dropped before the book has its last end',
    wiring: {
      rewire(ledger) {
        const { dropIdle } = ledger;
        ledger.dropIdle = () => dropIdle.call(ledger, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
      },
    },
    within: 300,
    breaks: /^6\/8: /,
  },
  {
    name: 'a call that a session budget adopted, and that is lost from it when the process dies',
    wiring: {
      rewire(ledger) {
        const { adoptedLate } = ledger;
        ledger.adoptedLate = (...args) =>
          adoptedLate.apply(ledger, args).filter(({ counter }) => ledger.onDemandValues(counter) === undefined);
      },
    },
    within: 500,
    breaks: /^8: /,
  },
  {
    name: 'an agent that does not count under those above it',
    wiring: {
      rewire(ledger) {
        const { findCounters } = ledger;
        ledger.findCounters = (...args) => {
          const own = new Set<unknown>();
          return findCounters.apply(ledger, args).filter(({ owner }) => own.size !== own.add(owner).size);
        };
      },
    },
    within: 100,
    breaks: /^(1|2|6\/8|8): /,
  },
  {
    name: 'an agent that leaves the budget of its parent by naming none, or another one',
    wiring: {
      rewire({ agents }) {
        const { findAbove } = agents;
        agents.findAbove = (...args) => findAbove.apply(agents, args) && [];
      },
    },
    within: 200,
    breaks: /^12: /,
  },
  {
    name: 'parents that the book knows and the gateway forgot',
    wiring: {
      rewire({ agents }) {
        const { answer } = agents;
        agents.answer = (question, found) =>
          answer.call(
            agents,
            question,
            found.map((each) => ({ ...each, parents: [] })),
          );
      },
    },
    within: 500,
    breaks: /^12: /,
  },
  {
    name: 'agents that are read before the calls of the dead process are in the book',
    wiring: {
      sends: (message) => (message.type === 'ask-agents' ? { ...message, endSeq: 0 } : message),
    },
    length: 80,
    within: 4_000,
    foundBy: 1_191,
    breaks: /^12: /,
  },
  {
    name: 'an agent that is dropped before the book has its last call',
    wiring: {
      rewire({ agents }) {
        const { dropIdle } = agents;
        agents.dropIdle = () => dropIdle.call(agents, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
      },
    },
    length: 80,
    within: 500,
    breaks: /^12: /,
  },
  {
    name: 'a counter that is answered before a correction that was sent earlier',
    plant() {
      vi.spyOn(LimitChanges.prototype, 'size', 'get').mockReturnValue(0);
    },
    within: 2_000,
    breaks: /^6\/8: /,
  },
  {
    name: 'a counter that is read before the calls of the dead process are in the book',
    wiring: {
      sends: (message) => (message.type === 'ask-counters' ? { ...message, endSeq: 0 } : message),
    },
    within: 1_000,
    foundBy: 591,
    breaks: /^6\/8: /,
  },
  {
    name: 'a counter that is believed to be at zero when a call comes to it',
    wiring: {
      rewire(ledger) {
        const { receiveCounters } = ledger;
        ledger.receiveCounters = (question, states, now) =>
          receiveCounters.call(
            ledger,
            question,
            states.map((state) => ({ ...state, counted: 0, uncertain: 0 })),
            now,
          );
      },
    },
    within: 500,
    breaks: /^(2|6\/8|alert): /,
  },
  {
    name: 'a refused call that is answered before its record is durable',
    plant() {
      const { refuse } = TurnJournal.prototype;
      vi.spyOn(TurnJournal.prototype, 'refuse').mockImplementation(function (this: TurnJournal, call, done) {
        refuse.call(this, call, () => {});
        done();
      });
    },
    within: 50,
    breaks: /^11: /,
  },
  {
    name: 'sums of refused calls that stay in memory',
    plant() {
      vi.spyOn(RefusalLog.prototype, 'flush').mockImplementation(() => {});
    },
    within: 500,
    breaks: /^11: /,
  },
  {
    name: 'parts of a sum whose ids do not ascend, so that the ledger takes them for known ones',
    wiring: { sumId: (newCallId) => `call_${999_999_999 - Number(newCallId().slice(5))}` },
    within: 3_000,
    foundBy: 1_763,
    breaks: /^11: /,
  },
];

async function find({ wiring, within, length, foundBy = 1 }: Bug): Promise<Failure | null> {
  const seeds = [foundBy, ...Array.from({ length: within }, (_, index) => index + 1)];
  for (const seed of seeds) {
    const failure = await play(drawPlan(seed, length), { ...AS_IT_IS, ...wiring });
    if (failure) return failure;
  }
  return null;
}

describe('the simulation finds', () => {
  test.each(bugs)('$name, within $within schedules', async (bug) => {
    bug.plant?.();
    const failure = await find(bug);
    expect(failure?.error.message).toMatch(bug.breaks);
    expect(failure?.error.name).toBe('Violation');
  });
});

test('without a planted bug the same schedules hold', async () => {
  expect(await find({ name: '', within: 500, breaks: /^$/ })).toBeNull();
});

test('a failure is shrunk to the steps that it needs', async () => {
  const wiring = { ...AS_IT_IS, settlesEarly: true };
  const failure = await play(drawPlan(1, 200), wiring);
  if (!failure) throw new Error('no failure');
  const { plan, error } = await shrink(failure, wiring);
  expect(plan.steps.length).toBeLessThan(10);
  expect(error.message).toMatch(/^6: /);
});
