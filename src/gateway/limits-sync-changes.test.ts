import { expect, test } from 'vitest';
import type { LimitMessageToGateway, LimitMessageToLedger } from '../ipc/messages.ts';
import type { Limit } from '../domain/limits/limit.ts';
import { NOON, sampleBudget, sampleCallEnd, sampleNeed, sampleSubject } from '../limits/contract/sample-limits.ts';
import { Hold } from '../limits/hold.ts';
import { LimitsSync } from './limits-sync.ts';

const IDLE_MS = 10_000;
const EACH_SESSION = sampleBudget('lim_1', 100, {
  window: 'total',
  scope: { kind: 'each', of: 'session', keyId: null },
});
const SUBJECT = sampleSubject({
  context: { session: 'a', agent: null, parentAgent: null, run: null, requestClass: null },
});

/** The gateway's side, with a clock and timers that the test moves, and the messages to the ledger. */
class SampleSync {
  readonly sync: LimitsSync;
  readonly sent: LimitMessageToLedger[] = [];
  readonly journal = { endSeq: 0, problem: null as string | null };
  shipped = 0;
  #now = NOON;
  #timers: { readonly at: number; readonly act: () => void }[] = [];

  constructor(limits: readonly Limit[] = []) {
    this.sync = new LimitsSync({
      snapshot: { limits, counters: [], newestCallAt: 0, overruns: [], statedRatios: [], refusals: [] },
      wall: () => this.#now,
      uptime: () => this.#now,
      journal: this.journal,
      shippedMark: () => this.shipped,
      send: (message) => void this.sent.push(message),
      raise: () => {},
      over: () => {},
      mainWorkspace: 'ws_a',
      idleMs: IDLE_MS,
      scheduler: {
        soon: (act) => void this.#timers.push({ at: this.#now, act }),
        later: (act, ms) => {
          this.#timers.push({ at: this.#now + ms, act });
          return () => {};
        },
      },
    });
  }

  receive(...messages: readonly LimitMessageToGateway[]): void {
    for (const message of messages) this.sync.receive(message);
  }

  /** Lets time pass in steps of a second, and runs the timers that are due. */
  pass(ms: number): void {
    const until = this.#now + ms;
    while (this.#now < until) {
      this.#now = Math.min(this.#now + 1_000, until);
      const due = this.#timers.filter(({ at }) => at <= this.#now);
      this.#timers = this.#timers.filter(({ at }) => at > this.#now);
      for (const { act } of due) act();
    }
  }

  hold(usd: number): Hold {
    const { engine, now } = this.sync;
    const found = engine.admit(SUBJECT, engine.findCounters(SUBJECT, now()), sampleNeed(usd), now());
    if (!(found instanceof Hold)) throw new Error('refused');
    return found;
  }

  /** Ends a call, and journals its end. */
  end(hold: Hold, usd: number): void {
    this.sync.engine.settle(hold, sampleCallEnd(usd), this.sync.now());
    this.journal.endSeq += 1;
  }

  /** Reads the counter of the session from the ledger. */
  load(counted: number): void {
    const { engine, now } = this.sync;
    const waiter = { keyId: 'key_a', until: Infinity, loaded: () => {}, gaveUp: () => {} };
    engine.awaitCounters(waiter, engine.findCounters(SUBJECT, now()));
    this.answer(counted);
  }

  answer(counted: number): void {
    const asked = this.sent.findLast((message) => message.type === 'ask-counters');
    if (!asked) throw new Error('nothing was asked');
    const counters = asked.counters.map((place) => Object.assign({}, place, { counted, uncertain: 0 }));
    this.receive({ type: 'answer-counters', question: asked.question, counters });
  }
}

const applied = (question: number): LimitMessageToLedger => ({ type: 'answer-applied', question });
const DAILY = sampleBudget('lim_2', 50, { countsPast: false });

test('a new limit is installed once no end is being written, and names the ends that its backfill has', () => {
  const sample = new SampleSync();
  const open = sample.hold(10);
  sample.sync.engine.ending(open);
  sample.receive({ type: 'limit-changed', limit: DAILY }, { type: 'ask-applied', question: 7 });
  sample.pass(1_000);
  expect(sample.sent).toEqual([]);
  sample.end(open, 4);
  sample.pass(1_000);
  expect(sample.sent).toMatchObject([{ type: 'limit-installed', counter: 2, endSeq: 1 }, applied(7)]);
});

test('no change is applied while the journal can not be written, and then all are in their order', () => {
  const sample = new SampleSync();
  sample.journal.problem = 'disk full';
  sample.receive(
    { type: 'limit-changed', limit: { ...DAILY, countsPast: true } },
    { type: 'counters-moved', moves: [{ counter: 2, windowStart: dayOf(NOON), value: '', counted: 9, uncertain: 0 }] },
    { type: 'ask-applied', question: 1 },
  );
  sample.pass(5_000);
  expect(sample.sent).toEqual([]);
  sample.journal.problem = null;
  sample.pass(1_000);
  expect(sample.sent).toEqual([applied(1)]);
  expect(sample.sync.engine.standings(['lim_2'], NOON, 1)).toMatchObject([{ counted: 9 }]);
});

test('an answer about counters is applied immediately, but not before earlier corrections that wait', () => {
  const sample = new SampleSync([EACH_SESSION]);
  sample.load(30);
  expect(sample.sync.engine.standings(['lim_1'], NOON, 1)).toMatchObject([{ counted: 30 }]);
  const late = new SampleSync([EACH_SESSION]);
  const [engine, now] = [late.sync.engine, late.sync.now()];
  const waiter = { keyId: 'key_a', until: Infinity, loaded: () => {}, gaveUp: () => {} };
  engine.awaitCounters(waiter, engine.findCounters(SUBJECT, now));
  late.receive({
    type: 'counters-moved',
    moves: [{ counter: 1, windowStart: 0, value: 'a', counted: 5, uncertain: 0 }],
  });
  // The correction is in the answer: it was made before.
  late.answer(35);
  expect(engine.standings(['lim_1'], now, 1)).toEqual([]);
  late.pass(1_000);
  expect(engine.standings(['lim_1'], now, 1)).toMatchObject([{ counted: 35 }]);
});

test('an idle session leaves memory only once the ledger has its last call', () => {
  const sample = new SampleSync([EACH_SESSION]);
  sample.load(0);
  sample.end(sample.hold(10), 10);
  sample.pass(3 * IDLE_MS);
  expect(sample.sync.engine.onDemandCounters).toBe(1);
  sample.shipped = 1;
  sample.pass(2 * IDLE_MS);
  expect(sample.sync.engine.onDemandCounters).toBe(0);
});

test('an open call keeps its session in memory, however long it takes', () => {
  const sample = new SampleSync([EACH_SESSION]);
  sample.load(0);
  const open = sample.hold(10);
  sample.pass(5 * IDLE_MS);
  expect(sample.sync.engine.onDemandCounters).toBe(1);
  sample.end(open, 10);
  sample.shipped = 1;
  sample.pass(3 * IDLE_MS);
  expect(sample.sync.engine.onDemandCounters).toBe(0);
});

test('on-demand counters are asked for with the last end of an earlier process, which they must include', () => {
  const sample = new SampleSync([EACH_SESSION]);
  sample.journal.endSeq = 12;
  sample.sync.open();
  sample.load(0);
  expect(sample.sent).toMatchObject([{ type: 'ask-counters', endSeq: 12 }]);
});

function dayOf(at: number): number {
  return at - (at % 86_400_000);
}
