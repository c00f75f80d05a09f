import type { CallAmounts, CallBegin, CallEnd } from '../domain/usage/call.ts';
import { amountIn, countedIn, uncertainIn } from '../domain/limits/counting.ts';
import {
  type CounterMove,
  type CounterState,
  type Limit,
  type CounterStatus,
  type CounterRef,
  OTHER_VALUE,
  amountAt,
  countsAgents,
  NO_VALUE,
} from '../domain/limits/limit.ts';
import type { Period } from '../domain/time/period.ts';
import { windowAt } from '../domain/time/window.ts';
import { SlotSet } from '../lib/concurrency/slots.ts';
import { type AdmissionBlock, findBlock } from './admission-block.ts';
import { type AgentQuestion, AgentTree } from './agent-tree.ts';
import type { LimitCounter } from './counter.ts';
import { CounterLoads, type CounterQuestion, type LoadWaiter } from './counter-loads.ts';
import { Hold } from './hold.ts';
import { type ModelOverrun, ModelOverruns, passesPresumed } from './overruns.ts';
import { RefusalEpisodes } from './refusal-episodes.ts';
import type { RefusedUnderLimit } from './refusal-errors.ts';
import { isMomentary } from '../domain/limits/refusal.ts';
import { shownAmount } from '../domain/limits/limit-fields.ts';
import { type RefusedSubject, thresholdEpisode } from './alerts.ts';
import { type KeySubject, ScopeIndex, type LimitSubject } from './scope-index.ts';
import { type CounterBudget, CounterSeries, ON_DEMAND_COUNTERS_MAX } from './counter-series.ts';
import { AdmissionQueue, type WaitingCall } from './admission-queue.ts';
import { KeyPlaces } from './key-places.ts';

/** Counters of all limits together. Further values of limits that count values apart share `(other)`. */
const COUNTERS_MAX = 1_000_000;
/** Larger than any share. */
const MILD = 2;
/** Percent of a shared limit that a key's abandoned calls may count for without a known usage. */
const ABANDONED_PERCENT_MAX = 5;

/** Receives events of the limits engine. */
export interface LimitsObserver {
  /**
   * A counter has reached a threshold of its limit, in percent of the amount; `isLast`: no further values are
   * alerted.
   */
  crossed(standing: CounterStatus, threshold: number, isLast: boolean): void;
  /**
   * A limit refuses calls, and that is to be alerted as this episode; `isLast`: no further values are alerted.
   */
  refused?(refusal: RefusedUnderLimit, subject: RefusedSubject, episode: string, isLast: boolean): void;
  /** A call like the refused one was admitted: that episode is over. */
  readmitted?(workspaceId: string, episode: string): void;
  /** A call cost more than it held. `overrun` = the ratio of its model; null = its cost had only been assumed. */
  overran(hold: Hold, end: CallEnd, overrun: ModelOverrun | null): void;
  /** A call of a key found no free counter for its value; such calls share one. */
  ranOutOfValues?(standing: CounterStatus, keyId: string): void;
  /** Asks the ledger what counters have counted. `receiveCounters` takes the answer. */
  asks?(question: CounterQuestion): void;
  /** Asks the ledger which parents agents have named. `agents.answer` takes the answer. */
  asksAgents?(question: AgentQuestion): void;
}

/** On-demand counters that are checked for idleness at a time, at least. */
const IDLE_CHECKS_MIN = 100;
/** In so many checks, all of them are. */
const IDLE_CHECK_ROUNDS = 64;
/** The same where places are scarce. */
const CROWDED_CHECK_ROUNDS = 8;

/**
 * Every limit, its counts, and the holds of open calls. Nothing here waits or reads a clock: `now` is window time in
 * epoch ms and never falls. See the invariants in README.md.
 */
export class LimitsEngine {
  readonly #observer: LimitsObserver;
  readonly #workspaces = new Map<string, ScopeIndex>();
  /** Series by limit id. */
  readonly #series = new Map<string, CounterSeries>();
  /** Series by the number of the limit's counters. */
  readonly #numbers = new Map<number, CounterSeries>();
  readonly #onDemandSeries = new Set<CounterSeries>();
  readonly #open = new SlotSet<Hold>();
  readonly #budget: CounterBudget = { counters: 0, max: COUNTERS_MAX };
  readonly #places: KeyPlaces;
  readonly #loads: CounterLoads;
  readonly agents: AgentTree;
  /** On-demand counters that are still to be checked for idleness in this round. */
  #idleChecks: Iterator<LimitCounter> | null = null;
  readonly #queue = new AdmissionQueue(({ subject, need }, now) =>
    this.#admit(subject, this.findCounters(subject, now), need, now, null),
  );
  #pendingEnds = 0;
  readonly overruns = new ModelOverruns();
  readonly refusalEpisodes = new RefusalEpisodes();

  /** @param onDemandMax places for on-demand counters in memory. Default: `ON_DEMAND_COUNTERS_MAX` */
  constructor(observer: LimitsObserver, onDemandMax = ON_DEMAND_COUNTERS_MAX) {
    this.#observer = observer;
    this.#places = new KeyPlaces(onDemandMax);
    this.#loads = new CounterLoads(this.#places);
    this.agents = new AgentTree((question) => observer.asksAgents?.(question));
  }

  /** Number of counters in memory. */
  get counters(): number {
    return this.#budget.counters + this.onDemandCounters - this.#loads.pending;
  }

  /** Number of on-demand counters in memory, with the ones that the ledger is asked for. */
  get onDemandCounters(): number {
    let counters = this.#loads.pending;
    for (const { size } of this.#onDemandSeries) counters += size;
    return counters;
  }

  /** Reports whether so many counters or agents are in memory that those without open calls should leave it. */
  get isOnDemandCrowded(): boolean {
    // One key may take half of the places.
    return this.#areCountersCrowded || this.agents.isCrowded;
  }

  get #areCountersCrowded(): boolean {
    return this.#places.taken > this.#places.max / 4;
  }

  get waiting(): number {
    return this.#queue.size + this.#loads.waiting + this.agents.waiting;
  }

  /** Number of open calls. */
  get holds(): number {
    return this.#open.size;
  }

  /** Loads the limits and counters of the ledger. Runs at the start, before any call. */
  load(limits: readonly Limit[], states: readonly CounterState[], now: number): void {
    for (const limit of limits) this.#install(limit, now);
    for (const state of states) this.#loaded(state.counter)?.add([state]);
  }

  /** Counts a call that a dead process left open. Runs after `load`, before any call. */
  recover(touched: readonly CounterRef[], end: CallEnd): void {
    for (const { counter, unit, windowStart, value } of touched)
      this.#loaded(counter)?.add([
        { counter, windowStart, value, counted: countedIn(unit, end), uncertain: uncertainIn(unit, end) },
      ]);
  }

  /**
   * Returns the counters of limits that were created while a dead process had this call open. Its end must name them,
   * because its begin does not. A backfill finds the call for a limit that still waits for one; limits on each session,
   * agent or run have none.
   */
  adoptedLate(subject: LimitSubject, { startedAt, touched }: Pick<CallBegin, 'startedAt' | 'touched'>): CounterRef[] {
    const touches: CounterRef[] = [];
    for (const series of this.#matching(subject)) {
      const { counter, unit, window, zones } = series.limit;
      const isBackfilled = !series.hasPast && !series.onDemand;
      if (isBackfilled || unit === 'concurrency' || touched.some((touch) => touch.counter === counter)) continue;
      const { start } = windowAt(window, startedAt, zones);
      if (start < series.period.start) continue;
      for (const value of series.values(subject)) touches.push({ counter, unit, windowStart: start, value });
    }
    return touches;
  }

  /**
   * Adds or changes a limit. Returns its open window when it gets new counters: they adopt the open calls and count
   * from now on, and `addPast` adds earlier usage. null = its counters stay.
   */
  put(limit: Limit, now: number): Period | null {
    const known = this.#series.get(limit.id);
    if (known?.limit.counter === limit.counter) {
      known.limit = limit;
      known.roll(now);
      for (const counter of known.counters()) this.#changed(counter, now);
      return null;
    }
    const left = known ? this.#uninstall(known) : [];
    const series = this.#install(limit, now);
    this.#adopt(series);
    if (countsAgents(limit)) this.#noteAgents(limit.workspaceId, now);
    // Not earlier: a waiting call must not slip between the old counters and the new.
    for (const each of left) this.#queue.wake(each, now);
    this.#loads.resume();
    return series.period;
  }

  /** Reports whether a call names an agent, and a limit on each agent counts it. */
  countsAgents({ workspaceId, keyId, context }: LimitSubject): boolean {
    if (!context || context.agent === null) return false;
    return this.#workspaces.get(workspaceId)?.countsAgents(keyId) ?? false;
  }

  /** Returns the values of a limit's on-demand counters in memory; undefined = it has none of that kind. */
  onDemandValues(counter: number): string[] | undefined {
    const series = this.#numbers.get(counter);
    return series?.onDemand ? Array.from(series.counters(), ({ value }) => value) : undefined;
  }

  /** Returns the open window of a limit's counters; null = no such counters. */
  openWindow(counter: number, now: number): Period | null {
    const series = this.#numbers.get(counter);
    series?.roll(now);
    return series?.period ?? null;
  }

  /** Removes a limit and tries the calls that waited under it. Open calls forget it as they end. */
  remove(id: string, now: number): void {
    const series = this.#series.get(id);
    if (!series) return;
    this.refusalEpisodes.forget(id);
    for (const counter of this.#uninstall(series)) this.#queue.wake(counter, now);
    this.#loads.resume();
  }

  /** Adds usage from before a limit existed. Adding it again changes nothing. */
  addPast(counter: number, states: readonly CounterState[], now: number): void {
    const series = this.#numbers.get(counter);
    if (!series || series.hasPast) return;
    series.hasPast = true;
    const added = this.#add(series, states, now);
    series.completeAll();
    for (const each of added) this.#changed(each, now);
    if (!series.onDemand) return;
    this.#loads.release(counter);
    this.#loads.resume();
  }

  /**
   * Lets a call wait until its on-demand counters are in memory. Returns false when there is no room for them. The call
   * then looks again, since counters may have been dropped, or windows have ended.
   */
  awaitCounters(waiter: LoadWaiter, unread: readonly LimitCounter[]): boolean {
    const question = this.#loads.wait(waiter, unread, ({ limit }) => this.#loaded(limit.counter) !== undefined);
    if (question && question.places.length > 0) this.#observer.asks?.(question);
    return question !== null;
  }

  stopAwaiting(waiter: LoadWaiter): void {
    this.#loads.cancel(waiter);
  }

  /**
   * Takes the ledger's answer: the counters asked for, also those of 0. No call that counts under them has ended since
   * they were asked for, because such a call would have kept them in memory.
   */
  receiveCounters(question: number, states: readonly CounterState[], now: number): void {
    for (const state of states) {
      const pending = this.#loads.answered(question, state);
      const series = pending && this.#loaded(state.counter);
      if (!pending || !series) continue;
      series.roll(now);
      if (series.period.start === state.windowStart) series.install(state, pending.keyId, now);
    }
    this.#loads.resume();
  }

  /**
   * Drops agents and on-demand counters without open calls that were not used since an instant. Checks a part of them, so that no
   * call waits long.
   * @param shippedTime the ledger has every call that ended before it; it need not for counters at zero
   */
  dropIdle(idleSince: number, shippedTime: number): void {
    this.agents.dropIdle(idleSince, shippedTime);
    const rounds = this.#areCountersCrowded ? CROWDED_CHECK_ROUNDS : IDLE_CHECK_ROUNDS;
    let checks = Math.max(IDLE_CHECKS_MIN, Math.ceil(this.onDemandCounters / rounds));
    this.#idleChecks ??= this.#onDemand();
    for (; checks > 0; checks -= 1) {
      const next = this.#idleChecks.next();
      if (next.done) return void (this.#idleChecks = null);
      const counter: LimitCounter = next.value;
      const { isLoaded, idle, calls, waiting, usedAt, owner } = counter;
      const before = idle ? idleSince : Math.min(idleSince, shippedTime);
      if (isLoaded && calls === 0 && waiting === 0 && usedAt < before) owner.drop(counter);
    }
  }

  /** Applies corrections to open windows. Corrections of a limit that still waits for its backfill come with that. */
  move(moves: readonly CounterMove[], now: number): void {
    const moved = moves.flatMap((move) => {
      const series = this.#numbers.get(move.counter);
      return series?.hasPast ? this.#add(series, [move], now) : [];
    });
    // Not earlier: waiting calls must not be tried while only some counters have moved.
    for (const counter of moved) this.#changed(counter, now);
  }

  /** Returns the counters that apply to a call of this moment. */
  findCounters(subject: LimitSubject, now: number): LimitCounter[] {
    const found: LimitCounter[] = [];
    for (const series of this.#matching(subject)) series.collect(subject, now, found);
    return found;
  }

  /** Holds `need` under all counters, or returns what blocks it and holds nothing. */
  admit(subject: LimitSubject, counters: LimitCounter[], need: CallAmounts, now: number): Hold | AdmissionBlock {
    // Counters found in an earlier turn may have been dropped, or their window may have ended.
    const current = counters.every((counter) => counter.owner.has(counter, now));
    return this.#admit(subject, current ? counters : this.findCounters(subject, now), need, now, subject.keyId);
  }

  /** Returns what blocks a call; null = `admit` would admit it. */
  blocked(
    { keyId }: LimitSubject,
    counters: readonly LimitCounter[],
    need: CallAmounts,
    now: number,
  ): AdmissionBlock | null {
    return findBlock(counters, need, now, keyId);
  }

  /** Queues a call that only other open calls block. Returns false when too many wait, in total or of its key. */
  wait(waiter: WaitingCall, blocked: AdmissionBlock): boolean {
    return this.#queue.enqueue(waiter, blocked);
  }

  cancel(waiter: WaitingCall): void {
    this.#queue.cancel(waiter);
  }

  /**
   * Decides whether a call that its client abandoned may be broken off. Then its usage stays unknown and it counts its
   * whole hold, which is noted for its key. False: a shared limit would count too much of this key in that way, so the
   * answer must be read to its end.
   */
  mayBreakOff({ counters, need, subject: { keyId } }: Hold, now: number): boolean {
    const shared = counters.filter(({ limit, period }) => isStarvable(limit) && now < period.end);
    for (const counter of shared) {
      const sum = counter.abandoned(keyId) + amountIn(counter.limit.unit, need);
      if (sum * 100 > amountAt(counter.limit, now) * ABANDONED_PERCENT_MAX) return false;
    }
    for (const counter of shared) counter.addAbandoned(keyId, amountIn(counter.limit.unit, need));
    return true;
  }

  /** Notes that a call's end is being written: limits created now can't be named in it. */
  ending(hold: Hold): void {
    if (hold.ending || !this.#open.has(hold)) return;
    hold.ending = true;
    this.#pendingEnds += 1;
  }

  /** Ends being written to the journal. New counters may only be added while this is 0. */
  get pendingEnds(): number {
    return this.#pendingEnds;
  }

  /** Counts an ended call whose end is durable, and ends its hold. */
  settle(hold: Hold, end: CallEnd, now: number): void {
    if (!this.#end(hold, now)) return;
    for (const counter of hold.counters) {
      const { unit } = counter.limit;
      counter.release(amountIn(unit, hold.need));
      counter.count(countedIn(unit, end), uncertainIn(unit, end));
      counter.usedAt = now;
    }
    const overrun = this.overruns.note(hold, end);
    if (overrun || passesPresumed(hold, end)) this.#observer.overran(hold, end, overrun);
    for (const counter of hold.counters) this.#changed(counter, now);
  }

  /** Ends the hold of a call whose begin could not be written. */
  release(hold: Hold, now: number): void {
    if (!this.#end(hold, now)) return;
    for (const counter of hold.counters) counter.release(amountIn(counter.limit.unit, hold.need));
    for (const counter of hold.counters) this.#changed(counter, now);
  }

  /** Tries waiting calls again. Called about every 50 ms while calls wait. `uptime` is the clock of their `until`. */
  sweep(now: number, uptime: number): void {
    if (this.#queue.size > 0) this.#queue.sweep(now, uptime);
    if (this.#loads.waiting > 0) this.#loads.sweep(uptime);
    this.agents.sweep(uptime);
  }

  /** Notes a call that a limit refused, and alerts that where it is new. */
  noteRefusal(refusal: RefusedUnderLimit, subject: RefusedSubject, now: number): void {
    const { standing, reason, need } = refusal;
    const { id, unit } = standing.limit;
    const series = this.#series.get(id);
    if (!series || isMomentary(reason) || unit === 'concurrency') return;
    const counter = series.counterNamed(standing.value);
    counter.forgetOtherAmount(now);
    const isUsedUp = counter.isUsedUp(now) || standing.amount === 0;
    const needed = need === null ? null : shownAmount(unit, need);
    const { keyId, model } = subject;
    if (!this.refusalEpisodes.mayNote(standing, isUsedUp, now) || !series.mayAlert(counter)) return;
    const episode = this.refusalEpisodes.note(standing, { keyId, model, needed, isUsedUp }, now);
    if (isUsedUp) counter.alertedThreshold = 100;
    this.#observer.refused?.(refusal, subject, episode, series.hasAlertedEnough);
  }

  /**
   * Returns the standing of the hold's fullest counter, by the share left for further calls; null = it has no counters.
   * An open call is over by then, and its hold is not what it costs: it is left out, except in limits on calls. Limits
   * that only warn, or are free again with the call, count only where there are no others.
   */
  tightest(hold: Hold, now: number): CounterStatus | null {
    const isOpen = this.#open.has(hold);
    let [tightest, least, tightestOwn]: [LimitCounter | null, number, number] = [null, Number.POSITIVE_INFINITY, 0];
    for (const counter of hold.counters) {
      const { limit } = counter;
      const own = isOpen && limit.unit !== 'calls' ? amountIn(limit.unit, hold.need) : 0;
      const isMild = limit.action === 'warn' || limit.unit === 'concurrency';
      const share = counter.left(now, own) / Math.max(1, amountAt(limit, now)) + (isMild ? MILD : 0);
      if (share < least) [tightest, least, tightestOwn] = [counter, share, own];
    }
    return tightest?.standing(now, tightestOwn) ?? null;
  }

  /**
   * Returns the counters of the limits that apply to calls of a key: for limits on each value of a tag, that of the
   * key's own value; for those on each session, agent or run, that of the named ones. The latter may not be in memory.
   */
  keyCounters(key: KeySubject, now: number): LimitCounter[] {
    const found: LimitCounter[] = [];
    for (const series of this.#workspaces.get(key.workspaceId)?.findForKey(key) ?? []) {
      const { scope } = series.limit;
      if (scope.kind === 'each_tag' && !Object.hasOwn(key.tags, scope.key)) continue;
      if (scope.kind === 'each' && series.values(key).includes(NO_VALUE)) continue;
      series.collect(key, now, found);
    }
    return found;
  }

  /** Returns the standings of some limits, fullest first, at most `perLimit` of each. */
  standings(ids: readonly string[], now: number, perLimit: number): CounterStatus[] {
    return ids.flatMap((id) => {
      const series = this.#series.get(id);
      return series ? fullest(series, now, perLimit) : [];
    });
  }

  #add(series: CounterSeries, states: readonly CounterState[], now: number): LimitCounter[] {
    series.roll(now);
    return series.add(states);
  }

  /** Returns the series, unless it still waits for its backfill, which brings all its usage. */
  #loaded(counter: number): CounterSeries | undefined {
    const series = this.#numbers.get(counter);
    return series?.hasPast ? series : undefined;
  }

  #end(hold: Hold, now: number): boolean {
    if (!this.#open.has(hold)) return false;
    this.#open.remove(hold);
    if (hold.agent) this.agents.release(hold.agent, now);
    if (hold.ending) this.#pendingEnds -= 1;
    return true;
  }

  #install(limit: Limit, now: number): CounterSeries {
    const series = new CounterSeries(limit, now, this.#budget, this.#places);
    this.#series.set(limit.id, series);
    this.#numbers.set(limit.counter, series);
    if (series.onDemand) this.#onDemandSeries.add(series);
    let scopes = this.#workspaces.get(limit.workspaceId);
    if (!scopes) this.#workspaces.set(limit.workspaceId, (scopes = new ScopeIndex()));
    scopes.add(series);
    return series;
  }

  #uninstall(series: CounterSeries): LimitCounter[] {
    const { id, counter, workspaceId } = series.limit;
    this.#series.delete(id);
    this.#numbers.delete(counter);
    const scopes = this.#workspaces.get(workspaceId);
    scopes?.remove(series);
    if (scopes?.size === 0) this.#workspaces.delete(workspaceId);
    const counters = [...series.counters()];
    series.close();
    if (this.#onDemandSeries.delete(series)) this.#loads.release(counter);
    return counters;
  }

  *#onDemand(): Generator<LimitCounter, undefined> {
    for (const series of this.#onDemandSeries) yield* series.counters();
  }

  /** Adds the open calls that began in the open window to a new limit. */
  #adopt(series: CounterSeries): void {
    const { limit, period } = series;
    const matching = new ScopeIndex();
    matching.add(series);
    this.#open.each((hold) => {
      const { subject, startedAt, need } = hold;
      if (limit.workspaceId !== subject.workspaceId || startedAt < period.start) return;
      const found: CounterSeries[] = [];
      matching.find(subject, found);
      if (found.length === 0) return;
      const counters: LimitCounter[] = [];
      series.collect(subject, startedAt, counters);
      for (const counter of counters) counter.hold(amountIn(limit.unit, need));
      hold.counters.push(...counters);
      hold.adopted += counters.length;
    });
  }

  /** Notes the agents of calls that began before a limit counted them. The ledger knows those of ended calls. */
  #noteAgents(workspaceId: string, now: number): void {
    this.#open.each((hold) => {
      const { subject } = hold;
      if (subject.workspaceId === workspaceId && !hold.agent && this.countsAgents(subject))
        hold.agent = this.agents.hold(subject, now);
    });
    this.agents.reread(workspaceId);
  }

  #matching(subject: LimitSubject): CounterSeries[] {
    const found: CounterSeries[] = [];
    this.#workspaces.get(subject.workspaceId)?.find(subject, found);
    return found;
  }

  #admit(
    subject: LimitSubject,
    counters: LimitCounter[],
    need: CallAmounts,
    now: number,
    behindKey: string | null,
  ): Hold | AdmissionBlock {
    const blocked = findBlock(counters, need, now, behindKey);
    if (blocked) return blocked;
    for (const counter of counters) {
      if (counter.value === OTHER_VALUE && counter.idle)
        this.#observer.ranOutOfValues?.(counter.standing(now), subject.keyId);
      counter.hold(amountIn(counter.limit.unit, need));
    }
    const hold = new Hold(subject, need, now, counters);
    if (this.countsAgents(subject)) hold.agent = this.agents.hold(subject, now);
    this.#open.add(hold);
    for (const { workspaceId, episode } of this.refusalEpisodes.passed(counters, subject, need))
      this.#observer.readmitted?.(workspaceId, episode);
    return hold;
  }

  /** Alerts thresholds and tries waiting calls after a counter or its limit has changed. */
  #changed(counter: LimitCounter, now: number): void {
    this.#alertThresholds(counter, now);
    if (counter.waiting > 0) this.#queue.wake(counter, now);
    else counter.owner.forget(counter);
  }

  #raiseCrossed(counter: LimitCounter, threshold: number, now: number): void {
    if (!counter.owner.mayAlert(counter)) return;
    const standing = counter.standing(now);
    if (threshold >= 100) this.refusalEpisodes.noteUsedUp(standing, thresholdEpisode(standing, threshold, now), now);
    this.#observer.crossed(standing, threshold, counter.owner.hasAlertedEnough);
  }

  #alertThresholds(counter: LimitCounter, now: number): void {
    const { limit, counted } = counter;
    if (!this.#numbers.has(limit.counter)) return;
    const amount = amountAt(limit, now);
    if (counted === 0) return void (counter.alertedThreshold = 0);
    counter.forgetOtherAmount(now);
    let passed = 0;
    for (const threshold of limit.thresholds) if (Number(counted) * 100 >= amount * threshold) passed = threshold;
    if (counted >= amount) passed = 100;
    const before = counter.alertedThreshold;
    // The alert that no call fits stays until there is room again.
    if (passed < before && counter.isUsedUp(now)) return;
    counter.alertedThreshold = passed;
    if (passed > before && limit.unit !== 'concurrency') this.#raiseCrossed(counter, passed, now);
  }
}

/** True if one key can use up the limit for others with calls of unknown usage. */
function isStarvable({ action, scope, unit }: Limit): boolean {
  return action === 'block' && scope.kind !== 'key' && unit !== 'calls' && unit !== 'concurrency';
}

function fullest(series: CounterSeries, now: number, most: number): CounterStatus[] {
  series.roll(now);
  const fullness = ({ counted, held }: CounterStatus): number => Number(counted) + Number(held);
  return series
    .standings(now)
    .toSorted((a, b) => fullness(b) - fullness(a))
    .slice(0, most);
}
