import type { CallAmounts, CallBegin, CallEnd } from '../domain/usage/call.ts';
import { amountIn, countedIn, uncertainIn } from '../domain/limits/counting.ts';
import {
  type CounterMove,
  type CounterPlace,
  type CounterState,
  type Limit,
  type CounterStatus,
  type CounterRef,
  OTHER_VALUE,
  countsAgents,
  NO_VALUE,
} from '../domain/limits/limit.ts';
import type { Period } from '../domain/time/period.ts';
import { SlotSet } from '../lib/concurrency/slots.ts';
import { adoptOpenCalls, findAdoptedLate } from './adoption.ts';
import { type AdmissionBlock, askLeases, findBlock } from './admission-block.ts';
import { type AgentQuestion, AgentTree } from './agent-tree.ts';
import type { LimitCounter } from './counter.ts';
import type { CounterQuestion, LoadWaiter } from './counter-loads.ts';
import { Hold } from './hold.ts';
import { StatedRatios } from './stated-ratios.ts';
import { type ModelOverrun, ModelOverruns, passesPresumed } from './overruns.ts';
import { RefusalEpisodes } from './refusal-episodes.ts';
import type { RefusedUnderLimit } from './refusal-errors.ts';
import type { RefusedSubject } from './alerts.ts';
import { type CounterAlertObserver, CounterAlerts } from './counter-alerts.ts';
import { type KeySubject, ScopeIndex, type LimitSubject } from './scope-index.ts';
import { type CounterBudget, CounterSeries, ON_DEMAND_COUNTERS_MAX } from './counter-series.ts';
import { AdmissionQueue, type WaitingCall } from './admission-queue.ts';
import { OnDemandCounters } from './on-demand-counters.ts';
import { applyTotals, listSharedPlaces, type SharedCounters, type SharedTotals } from './shared-counters.ts';
import { findFullest, findTightestCounter } from './standings.ts';

/** Counters of all limits together. Further values of limits that count values apart share `(other)`. */
const COUNTERS_MAX = 1_000_000;

/** Receives events of the limits engine. */
export interface LimitsObserver extends CounterAlertObserver {
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
  readonly #open = new SlotSet<Hold>();
  readonly #budget: CounterBudget = { counters: 0, max: COUNTERS_MAX };
  readonly #onDemand: OnDemandCounters;
  readonly agents: AgentTree;
  readonly #queue = new AdmissionQueue(({ subject, need }, now) =>
    this.#admit(subject, this.findCounters(subject, now), need, now, null),
  );
  #pendingEnds = 0;
  readonly overruns = new ModelOverruns();
  readonly statedRatios = new StatedRatios();
  readonly refusalEpisodes = new RefusalEpisodes();
  readonly #alerts: CounterAlerts;

  /** null = no other node uses the limits. */
  readonly #shared: SharedCounters | null;

  /** @param onDemandMax places for on-demand counters in memory. Default: `ON_DEMAND_COUNTERS_MAX` */
  constructor(observer: LimitsObserver, onDemandMax = ON_DEMAND_COUNTERS_MAX, shared: SharedCounters | null = null) {
    this.#observer = observer;
    this.#shared = shared;
    this.#onDemand = new OnDemandCounters(onDemandMax);
    this.#alerts = new CounterAlerts(observer, this.refusalEpisodes);
    this.agents = new AgentTree((question) => observer.asksAgents?.(question));
  }

  /** Number of counters in memory. */
  get counters(): number {
    return this.#budget.counters + this.#onDemand.size - this.#onDemand.pending;
  }

  /** Number of on-demand counters in memory, with the ones that the ledger is asked for. */
  get onDemandCounters(): number {
    return this.#onDemand.size;
  }

  /** Reports whether so many counters or agents are in memory that those without open calls should leave it. */
  get isOnDemandCrowded(): boolean {
    return this.#onDemand.isCrowded || this.agents.isCrowded;
  }

  get waiting(): number {
    return this.#queue.size + this.#onDemand.waiting + this.agents.waiting;
  }

  /** This process has no lease, and the authority does not answer. */
  get isAuthorityAway(): boolean {
    return this.#shared?.isAway ?? false;
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

  /** Returns the counters of limits that were created while a dead process had this call open. Its end must name them. */
  adoptedLate(subject: LimitSubject, begin: Pick<CallBegin, 'startedAt' | 'touched'>): CounterRef[] {
    return findAdoptedLate(this.#matching(subject), subject, begin);
  }

  /**
   * Adds or changes a limit. Returns its open window when it gets new counters: they adopt the open calls and count
   * from now on, and `addPast` adds earlier usage. null = its counters stay.
   */
  put(limit: Limit, now: number): Period | null {
    const known = this.#series.get(limit.id);
    if (known?.limit.counter === limit.counter) {
      known.change(limit);
      this.#shared?.changed(limit.counter);
      known.roll(now);
      for (const counter of known.counters()) this.#changed(counter, now);
      if (!known.hasPast && !known.onDemand) {
        this.#onDemand.release(limit.counter);
        this.#onDemand.resume();
      }
      return null;
    }
    const left = known ? this.#uninstall(known) : [];
    const series = this.#install(limit, now);
    adoptOpenCalls(series, this.#open);
    if (countsAgents(limit)) this.#noteAgents(limit.workspaceId, now);
    // Not earlier: a waiting call must not slip between the old counters and the new.
    for (const each of left) this.#queue.wake(each, now);
    this.#onDemand.resume();
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
    this.#onDemand.resume();
  }

  /** Adds usage from before a limit existed. Adding it again changes nothing. */
  addPast(counter: number, states: readonly CounterState[], now: number): void {
    const series = this.#numbers.get(counter);
    if (!series || series.hasPast) return;
    series.hasPast = true;
    const added = this.#add(series, states, now);
    series.completeAll();
    for (const each of added) this.#changed(each, now);
    this.#onDemand.release(counter);
    this.#onDemand.resume();
  }

  /**
   * Lets a call wait until its on-demand counters are in memory. Returns false when there is no room for them. The call
   * then looks again, since counters may have been dropped, or windows have ended.
   */
  awaitCounters(waiter: LoadWaiter, unread: readonly LimitCounter[]): boolean {
    const question = this.#onDemand.wait(waiter, unread, ({ limit }) => this.#loaded(limit.counter) !== undefined);
    if (question && question.places.length > 0) this.#observer.asks?.(question);
    return question !== null;
  }

  stopAwaiting(waiter: LoadWaiter): void {
    this.#onDemand.cancel(waiter);
  }

  /**
   * Takes the ledger's answer: the counters asked for, also those of 0. No call that counts under them has ended since
   * they were asked for, because such a call would have kept them in memory.
   */
  receiveCounters(question: number, states: readonly CounterState[], now: number): void {
    for (const state of states) this.#onDemand.receive(question, state, this.#loaded(state.counter), now);
    this.#onDemand.resume();
  }

  /**
   * Drops agents and on-demand counters without open calls that were not used since an instant, in parts.
   * @param shippedTime the ledger has every call that ended before it; it need not for counters at zero
   */
  dropIdle(idleSince: number, shippedTime: number): void {
    this.agents.dropIdle(idleSince, shippedTime);
    this.#onDemand.dropIdle(idleSince, shippedTime);
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

  /** Sets the counters to what all nodes have counted. */
  setTotals(totals: SharedTotals, now: number): void {
    if (!this.#shared) return;
    const changed = applyTotals(this.#shared, totals, (counter) => this.#loaded(counter), now);
    for (const counter of changed) this.#changed(counter, now);
  }

  /** Lists the counters whose totals the ledger may be asked for. */
  sharedPlaces(now: number): Generator<CounterPlace, undefined> {
    return listSharedPlaces(this.#numbers.values(), now);
  }

  /** Returns the counters under which calls are open. */
  heldCounters(): Set<LimitCounter> {
    const held = new Set<LimitCounter>();
    this.#open.each(({ counters }) => {
      for (const counter of counters) held.add(counter);
    });
    return held;
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

  /** Returns what blocks a call; null = `admit` would admit it, or ask other nodes for it. */
  blocked(
    { keyId }: LimitSubject,
    counters: readonly LimitCounter[],
    need: CallAmounts,
    now: number,
  ): AdmissionBlock | null {
    return findBlock(counters, need, now, keyId, true);
  }

  /** Queues a call that only other open calls block. Returns false when too many wait, in total or of its key. */
  wait(waiter: WaitingCall, blocked: AdmissionBlock): boolean {
    return this.#queue.enqueue(waiter, blocked);
  }

  cancel(waiter: WaitingCall): void {
    this.#queue.cancel(waiter);
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
      const [counted, uncertain] = [countedIn(unit, end), uncertainIn(unit, end)];
      counter.settle(amountIn(unit, hold.need), counted, uncertain);
      this.#shared?.ended(counter, counted, uncertain);
      counter.usedAt = now;
    }
    this.statedRatios.note(hold, end, now);
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
    this.#onDemand.sweep(uptime);
    this.agents.sweep(uptime);
  }

  /** Tries waiting calls again after the authority has answered. */
  retryWaiting(now: number): void {
    for (const counter of this.#queue.counters()) this.#queue.wake(counter, now);
  }

  /** Notes a call that a limit refused, and alerts that where it is new. */
  noteRefusal(refusal: RefusedUnderLimit, subject: RefusedSubject, now: number): void {
    const series = this.#series.get(refusal.standing.limit.id);
    if (series) this.#alerts.noteRefusal(series, refusal, subject, now);
  }

  /** Returns what further calls may use under the hold's fullest counter; null = it has no counters. */
  tightest(hold: Hold, now: number): CounterStatus | null {
    return findTightestCounter(hold, this.#open.has(hold), now);
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
      return series ? findFullest(series, now, perLimit) : [];
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
    const series = new CounterSeries(limit, now, this.#budget, {
      places: this.#onDemand.places,
      leases: this.#shared,
    });
    this.#series.set(limit.id, series);
    this.#numbers.set(limit.counter, series);
    if (series.onDemand) this.#onDemand.add(series);
    let scopes = this.#workspaces.get(limit.workspaceId);
    if (!scopes) this.#workspaces.set(limit.workspaceId, (scopes = new ScopeIndex()));
    scopes.add(series);
    return series;
  }

  #uninstall(series: CounterSeries): LimitCounter[] {
    const { id, counter, workspaceId } = series.limit;
    this.#series.delete(id);
    this.#numbers.delete(counter);
    this.#shared?.changed(counter);
    const scopes = this.#workspaces.get(workspaceId);
    scopes?.remove(series);
    if (scopes?.size === 0) this.#workspaces.delete(workspaceId);
    const counters = [...series.counters()];
    series.close();
    this.#onDemand.remove(series);
    return counters;
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
    if (blocked) {
      if (blocked.reason === 'in_flight' && this.#shared) askLeases(counters, need);
      return blocked;
    }
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
    if (this.#numbers.has(counter.limit.counter)) this.#alerts.checkThresholds(counter, now);
    if (counter.waiting > 0) this.#queue.wake(counter, now);
    else counter.owner.forget(counter);
  }
}
