import { expect, test } from 'vitest';
import type { CounterState, Limit } from '../domain/limits/limit.ts';
import type { CounterQuestion, LoadWaiter } from './counter-loads.ts';
import { NOON, sampleBudget, sampleCallEnd, sampleNeed, sampleSubject } from './contract/sample-limits.ts';
import { Hold } from './hold.ts';
import { LimitsEngine } from './limits.ts';
import type { LimitSubject } from './scope-index.ts';

const EACH_SESSION = sampleBudget('lim_1', 100, {
  window: 'total',
  scope: { kind: 'each', of: 'session', keyId: null },
});
const EACH_AGENT = sampleBudget('lim_2', 50, { window: 'total', scope: { kind: 'each', of: 'agent', keyId: null } });

/** An engine with its ledger: what calls count here is stored when `ship` runs. */
class OnDemandSample {
  readonly questions: CounterQuestion[] = [];
  readonly engine: LimitsEngine;
  readonly steps: string[] = [];
  readonly #stored = new Map<string, number>();

  constructor(limits: readonly Limit[], onDemandMax?: number) {
    const observer = {
      crossed: () => {},
      overran: () => {},
      asks: (asked: CounterQuestion) => this.questions.push(asked),
    };
    this.engine = new LimitsEngine(observer, onDemandMax);
    this.engine.load(limits, [], NOON);
  }

  /** Begins to admit a call; `steps` says how that went on. */
  arrive(session: string, usd: number, keyId = 'key_a', until = 2_000): LoadWaiter | null {
    const subject = subjectOf(session, keyId);
    const unread = this.engine.findCounters(subject, NOON).filter(({ isLoaded }) => !isLoaded);
    if (unread.length === 0) {
      this.steps.push(`${session} ${this.try(subject, usd) instanceof Hold ? 'holds' : 'is refused'} ${usd}`);
      return null;
    }
    const waiter = {
      keyId,
      until,
      loaded: () => void this.arrive(session, usd, keyId),
      gaveUp: () => void this.steps.push(`${session} gives up`),
    };
    if (!this.engine.awaitCounters(waiter, unread)) this.steps.push(`${session} has no place`);
    return waiter;
  }

  try(subject: LimitSubject, usd: number, now = NOON) {
    return this.engine.admit(subject, this.engine.findCounters(subject, now), sampleNeed(usd), now);
  }

  /** Answers a question of the engine. */
  answer({ question, places } = this.questions.shift() ?? { question: 0, places: [] }, now = NOON): void {
    const states = places.map((place): CounterState => {
      return { ...place, counted: this.#stored.get(place.value) ?? 0, uncertain: 0 };
    });
    this.engine.receiveCounters(question, states, now);
  }

  /** Holds, ends and ships a call of a session whose counter is in memory. */
  spend(session: string, usd: number, now = NOON): void {
    const hold = this.try(subjectOf(session), usd, now);
    if (!(hold instanceof Hold)) throw new Error('refused');
    this.engine.settle(hold, sampleCallEnd(usd), now);
    this.#stored.set(session, (this.#stored.get(session) ?? 0) + usd);
  }
}

function subjectOf(
  session: string | null,
  keyId = 'key_a',
  agent: Partial<LimitSubject['context']> = {},
): LimitSubject {
  const context = { session, agent: null, parentAgent: null, run: null, requestClass: null, ...agent };
  return sampleSubject({ keyId, context });
}

test('calls of a new session wait for one question together, and then take turns under its budget', () => {
  const sample = new OnDemandSample([EACH_SESSION]);
  for (const usd of [60, 30, 20]) sample.arrive('a', usd);
  expect(sample.steps).toEqual([]);
  expect(sample.questions).toHaveLength(1);
  expect(sample.engine.waiting).toBe(3);
  sample.answer();
  expect(sample.steps).toEqual(['a holds 60', 'a holds 30', 'a is refused 20']);
});

test('a session that was dropped has its count again when a late call arrives', () => {
  const sample = new OnDemandSample([EACH_SESSION]);
  sample.arrive('a', 0);
  sample.answer();
  sample.spend('a', 70);
  sample.engine.dropIdle(NOON, NOON);
  // Its only call still holds.
  expect(sample.engine.counters).toBe(1);
  const idle = new OnDemandSample([EACH_SESSION]);
  idle.engine.awaitCounters(
    { keyId: 'key_a', until: 9, loaded: () => {}, gaveUp: () => {} },
    idle.engine.findCounters(subjectOf('a'), NOON),
  );
  idle.answer();
  idle.spend('a', 70);
  idle.engine.dropIdle(NOON, NOON);
  expect(idle.engine.counters).toBe(1);
  idle.engine.dropIdle(NOON + 1, NOON + 1);
  idle.engine.dropIdle(NOON + 1, NOON + 1);
  expect(idle.engine.counters).toBe(0);
  idle.arrive('a', 31);
  idle.answer();
  expect(idle.steps).toEqual(['a is refused 31']);
});

test('a call is refused if the ledger does not answer for its session, and a later call asks nothing twice', () => {
  const sample = new OnDemandSample([EACH_SESSION]);
  sample.arrive('a', 1);
  sample.engine.sweep(NOON, 1_999);
  expect(sample.steps).toEqual([]);
  sample.engine.sweep(NOON, 2_000);
  expect(sample.steps).toEqual(['a gives up']);
  sample.arrive('a', 2, 'key_a', 4_000);
  expect(sample.questions).toHaveLength(1);
  sample.answer();
  expect(sample.steps).toEqual(['a gives up', 'a holds 2']);
});

test('a client that disconnects while its call waits for the ledger leaves nothing behind', () => {
  const sample = new OnDemandSample([EACH_SESSION]);
  const waiter = sample.arrive('a', 1);
  if (waiter) sample.engine.stopAwaiting(waiter);
  sample.answer();
  expect([sample.steps, sample.engine.waiting, sample.engine.holds]).toEqual([[], 0, 0]);
});

test('an answer to an older question than the open one is ignored', () => {
  const sample = new OnDemandSample([EACH_SESSION]);
  sample.arrive('a', 1);
  const [asked] = sample.questions;
  if (!asked) throw new Error('no question');
  sample.answer({ ...asked, question: asked.question + 1 });
  expect(sample.steps).toEqual([]);
});

test('nothing is admitted under a counter that was not read, and a call that only waits changes none', () => {
  const sample = new OnDemandSample([EACH_SESSION]);
  expect(sample.try(subjectOf('a'), 0)).toMatchObject({ isUnread: true });
  expect([sample.engine.counters, sample.engine.holds]).toEqual([0, 0]);
});

test('if all places are taken, a key that has its share is refused, and another key is not', () => {
  const sample = new OnDemandSample([EACH_SESSION], 10);
  for (let session = 0; session < 6; session += 1) sample.arrive(`s${session}`, 1);
  expect(sample.steps).toEqual(['s5 has no place']);
  sample.arrive('other', 1, 'key_b');
  expect(sample.questions).toHaveLength(6);
});

test('a call counts under its agent and all agents above it, so none takes more than its parents have left', () => {
  const sample = new OnDemandSample([EACH_AGENT]);
  const agentOf = (agent: string, parentAgent: string | null, olderAgents: string[] = []) =>
    subjectOf('s', 'key_a', { agent, parentAgent, olderAgents });
  const child = agentOf('c', 'b', ['a']);
  const found = sample.engine.findCounters(child, NOON);
  expect(found.map(({ value }) => value)).toEqual(['s/c', 's/b', 's/a']);
  sample.engine.awaitCounters({ keyId: 'key_a', until: 9, loaded: () => {}, gaveUp: () => {} }, found);
  sample.answer();
  const held = sample.try(child, 40);
  expect(held).toBeInstanceOf(Hold);
  expect(sample.try(agentOf('a', null), 11)).toMatchObject({ reason: 'in_flight' });
  expect(sample.try(agentOf('a', null), 10)).toBeInstanceOf(Hold);
  expect(sample.try(child, 1)).toMatchObject({ reason: 'in_flight' });
  expect((held as Hold).counterRefs().map(({ value }) => value)).toEqual(['s/c', 's/b', 's/a']);
});

test('agents of the same name in two sessions have two budgets, whatever slashes the names have', () => {
  const sample = new OnDemandSample([EACH_AGENT]);
  const values = (session: string, agent: string) =>
    sample.engine.findCounters(subjectOf(session, 'key_a', { agent }), NOON).map(({ value }) => value);
  expect(values('a', 'b/c')).toEqual(['a/b/c']);
  expect(values('a/b', 'c')).toEqual(['a%2Fb/c']);
  expect(values('a%2Fb', 'c')).toEqual(['a%252Fb/c']);
});

test('calls without a session share an amount, and calls of the main agent have one for each session', () => {
  const sample = new OnDemandSample([EACH_SESSION, EACH_AGENT]);
  const values = (session: string | null) =>
    sample.engine.findCounters(subjectOf(session), NOON).map(({ value }) => value);
  expect(values(null)).toEqual(['(none)', '(none)']);
  expect(values('s')).toEqual(['s', 's/(main)']);
});

test('a new limit holds open calls, and lets others of their session wait for its backfill', () => {
  const sample = new OnDemandSample([]);
  const open = sample.try(subjectOf('a'), 30);
  expect(open).toBeInstanceOf(Hold);
  sample.engine.put({ ...EACH_SESSION, countsPast: false }, NOON);
  expect(sample.engine.onDemandValues(1)).toEqual(['a']);
  sample.arrive('a', 71);
  sample.arrive('b', 100);
  expect(sample.questions).toEqual([]);
  sample.engine.addPast(1, [], NOON);
  expect(sample.steps).toEqual(['a is refused 71']);
  sample.answer();
  expect(sample.steps).toEqual(['a is refused 71', 'b holds 100']);
});

test('a correction moves a session in memory, and one that is not in memory is left to the ledger', () => {
  const sample = new OnDemandSample([EACH_SESSION]);
  sample.arrive('a', 90);
  sample.answer();
  const move = { counter: 1, windowStart: 0, uncertain: 0 };
  sample.engine.move(
    [
      { ...move, value: 'a', counted: 10 },
      { ...move, value: 'b', counted: 10 },
    ],
    NOON,
  );
  expect(sample.engine.standings(['lim_1'], NOON, 9)).toMatchObject([{ value: 'a', counted: 10, held: 90 }]);
});

test('200,000 sessions over time leave as many counters in memory as were used lately', () => {
  const sample = new OnDemandSample([EACH_SESSION]);
  const [sessions, idleMs] = [200_000, 1_000];
  let most = 0;
  for (let session = 0; session < sessions; session += 1) {
    const now = NOON + session;
    const name = `session ${session}`;
    const subject = subjectOf(name);
    const unread = sample.engine.findCounters(subject, now);
    sample.engine.awaitCounters({ keyId: 'key_a', until: 9, loaded: () => {}, gaveUp: () => {} }, unread);
    sample.answer(undefined, now);
    sample.spend(name, 1, now);
    if (session % 100 === 0) sample.engine.dropIdle(now - idleMs, now - idleMs);
    most = Math.max(most, sample.engine.counters);
  }
  expect(most).toBeLessThan(20_000);
});

test('long names take more places, so that a key with long names has as few bytes in memory as one with short names', () => {
  const sample = new OnDemandSample([EACH_SESSION], 1_000);
  const nameIt = (number: number) => `${number} `.padEnd(255, '/') + '\u6f22';
  for (let session = 0; session < 500; session += 1) {
    sample.arrive(nameIt(session), 0);
    sample.answer();
  }
  // Each takes three places, and one key at most half of all.
  expect(sample.engine.counters).toBe(167);
  expect(sample.engine.isOnDemandCrowded).toBe(true);
  sample.arrive('short', 0, 'key_b');
  sample.answer();
  expect(sample.steps.at(-1)).toBe('short holds 0');
});

test('places of long names are free again when their counters leave memory, or their limit is removed', () => {
  for (const leave of [
    ({ engine }: OnDemandSample) => engine.dropIdle(NOON + 1, NOON + 1),
    ({ engine }: OnDemandSample) => engine.remove('lim_1', NOON),
  ]) {
    const sample = new OnDemandSample([EACH_SESSION], 1_000);
    for (let session = 0; session < 90; session += 1) {
      sample.arrive(`${session} `.padEnd(256, '/'), 200);
      sample.answer();
    }
    expect(sample.engine.isOnDemandCrowded).toBe(true);
    leave(sample);
    expect([sample.engine.counters, sample.engine.isOnDemandCrowded]).toEqual([0, false]);
  }
});

test('counters at zero leave memory also while the ledger lags behind, others do not', () => {
  const sample = new OnDemandSample([EACH_SESSION]);
  for (const session of ['refused', 'spent']) {
    sample.arrive(session, 200);
    sample.answer();
  }
  sample.spend('spent', 10);
  sample.engine.dropIdle(NOON + 1, NOON - 1);
  expect(sample.engine.onDemandValues(1)).toEqual(['spent']);
});
