import type { LimitMessageToGateway, LimitMessageToLedger, LimitSnapshot } from '../ipc/messages.ts';
import { countsAgents } from '../domain/limits/limit.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import type { CallBegin, CallEnd } from '../domain/usage/call.ts';
import type { Period } from '../domain/time/period.ts';
import { MINUTE_MS } from '../domain/time/units.ts';
import type { Journal } from '../journal/journal.ts';
import {
  clockAlert,
  overrunAlert,
  presumedAlert,
  refusalAlert,
  thresholdAlert,
  valuesAlert,
} from '../limits/alerts.ts';
import { type ClockStep, WindowClock } from '../limits/window-clock.ts';
import { LimitsEngine } from '../limits/limits.ts';
import { type Clock, type Scheduler, systemScheduler, type Uptime } from '../lib/clock.ts';
import { LimitChanges } from './waiting-limit-changes.ts';
import type { SharedTotals } from '../limits/shared-counters.ts';
import type { SharedLimits } from './shared-limits.ts';
import { ShippedTimes } from './shipped-times.ts';

/** Values per limit in an answer: one more than readers show, so that they know if there are more. */
const STANDINGS_PER_LIMIT_MAX = 101;
/**
 * Interval at which waiting changes are tried. It is a timer, because the ends of a turn are committed after the
 * turn's timers.
 */
const CHANGE_AFTER_MS = 2;

/** Interval at which on-demand counters are checked for idleness. */
const DROP_IDLE_EVERY_MS = 1_000;
/** Time for which an on-demand counter without open calls stays in memory. */
const IDLE_MS = 5 * MINUTE_MS;

export interface LimitsSyncParts {
  readonly snapshot: LimitSnapshot;
  readonly wall: Clock;
  readonly uptime: Uptime;
  readonly journal: Pick<Journal, 'endSeq' | 'problem'>;
  /** The `end_seq` up to which the ledger durably has everything. */
  readonly shippedMark: () => number;
  readonly send: (message: LimitMessageToLedger) => void;
  readonly raise: (alert: Alert) => void;
  /** Ends the alert of an episode. */
  readonly over: (workspaceId: string, episode: string) => void;
  /** Workspace that gets alerts about the whole installation. */
  readonly mainWorkspace: string;
  /** Default: the system's. */
  readonly scheduler?: Scheduler;
  /** On-demand counters in memory. Default: `ON_DEMAND_COUNTERS_MAX`. */
  readonly onDemandMax?: number;
  /** Limits that other nodes share. Default: none. */
  readonly shared?: SharedLimits | null;
  /** Time for which an on-demand counter without open calls stays in memory. Default: `IDLE_MS`. */
  readonly idleMs?: number;
}

/** Connects the limits engine to the ledger thread: applies its messages, and sends back alerts and answers. */
export class LimitsSync {
  readonly engine: LimitsEngine;
  /** Window time. */
  readonly now: Clock;
  readonly #parts: LimitsSyncParts;
  readonly #scheduler: Scheduler;
  /** Changes of limits in order. New counters wait until no end is being written to the journal. */
  readonly #changes = new LimitChanges();
  #isChanging = false;
  /** Number of calls that a dead process left open. */
  #recovered = 0;
  /** Last end of an earlier process: on-demand counters are only complete with it. */
  #recoveredEndSeq = 0;
  /**
   * Last end from before a limit began to count agents. The calls up to it were not noted in memory, so only the ledger
   * knows their agents.
   */
  #unnotedEndSeq = 0;
  readonly #shippedTimes = new ShippedTimes();
  #dropsIdle = false;
  /** Counters that `open` asked the ledger to backfill, by the id of their limit. */
  readonly #backfilling = new Map<string, number>();
  readonly #backfilled = Promise.withResolvers<void>();

  constructor(parts: LimitsSyncParts) {
    const { snapshot, wall, uptime, raise, over, mainWorkspace } = parts;
    this.#parts = parts;
    this.#scheduler = parts.scheduler ?? systemScheduler;
    const stepped = (step: ClockStep, ms: number): void => raise(clockAlert(step, ms, mainWorkspace, wall()));
    this.now = parts.shared?.now ?? new WindowClock({ wall, uptime, from: snapshot.newestCallAt, stepped }).now;
    this.engine = new LimitsEngine(
      {
        crossed: (standing, threshold, isLast) => raise(thresholdAlert(standing, threshold, isLast, this.now())),
        ranOutOfValues: (standing, keyId) => raise(valuesAlert(standing, keyId, this.now())),
        refused: (refusal, subject, episode, isLast) =>
          raise(refusalAlert(refusal, subject, episode, isLast, this.now())),
        readmitted: over,
        asksAgents: (question) => {
          this.#dropIdleLater();
          const endSeq = Math.max(this.#recoveredEndSeq, this.#unnotedEndSeq);
          parts.send({ type: 'ask-agents', endSeq, ...question });
        },
        asks: ({ question, places }) => {
          this.#dropIdleLater();
          parts.send({ type: 'ask-counters', question, endSeq: this.#recoveredEndSeq, counters: places });
        },
        overran: (hold, end, overrun) =>
          raise(overrun ? overrunAlert(hold, end, overrun, this.now()) : presumedAlert(hold, end, this.now())),
      },
      parts.onDemandMax,
      parts.shared,
    );
    for (const overrun of snapshot.overruns) this.engine.overruns.put(overrun);
    for (const known of snapshot.statedRatios) this.engine.statedRatios.put(known);
    this.engine.refusalEpisodes.load(snapshot.refusals);
    this.engine.load(snapshot.limits, snapshot.counters, this.now());
  }

  /**
   * Counts a call that a dead process left open. Runs before `open`. Returns its end with the limits created
   * meanwhile.
   */
  recover(begin: CallBegin, pricedModel: string | null, end: CallEnd): CallEnd {
    this.#recovered += 1;
    const subject = { ...begin, model: begin.requestedModel ?? '', pricedModel };
    const adopted = this.engine.adoptedLate(subject, begin);
    this.engine.recover([...begin.touched, ...adopted], end);
    return adopted.length > 0 ? { ...end, adopted } : end;
  }

  /** Asks the ledger to backfill the limits that need it. Runs once everything from the journal is counted. */
  open(): void {
    const { snapshot, journal } = this.#parts;
    const at = this.now();
    // Ends that wait for the disk are written first, so their numbers are known.
    const endSeq = journal.endSeq + (journal.problem === null ? 0 : this.#recovered);
    this.#recoveredEndSeq = endSeq;
    for (const { id, counter, countsPast } of snapshot.limits) {
      const window = countsPast ? null : this.engine.openWindow(counter, at);
      if (!window) continue;
      this.#backfilling.set(id, counter);
      this.#announceInstalled(counter, window, endSeq);
    }
    this.#noteBackfilled();
    this.#parts.shared?.start(endSeq);
  }

  /**
   * Resolves when the limits that `open` found without a backfill have theirs. An earlier process may have admitted calls
   * under them, so until then they would admit more than their amount. Does not wait while the journal refuses all calls.
   */
  async backfilled(): Promise<void> {
    await this.#backfilled.promise;
  }

  #noteBackfilled(): void {
    if (this.#backfilling.size === 0 || this.#parts.journal.problem !== null) this.#backfilled.resolve();
  }

  receive(message: LimitMessageToGateway): void {
    if (message.type === 'ask-limits') {
      const { question, limits } = message;
      const standings = this.engine.standings(limits, this.now(), STANDINGS_PER_LIMIT_MAX);
      return this.#parts.send({ type: 'answer-limits', question, standings });
    }
    if (message.type === 'counters-totaled') return this.#setTotals(message);
    if (message.type === 'answer-agents') return this.engine.agents.answer(message.question, message.agents);
    if (message.type === 'refusal-alerted') return this.engine.refusalEpisodes.learn(message.episode, this.now());
    if (message.type === 'overrun-found') return this.engine.overruns.learn(message.overrun);
    if (message.type === 'overrun-acknowledged') return this.engine.overruns.acknowledge(message.model);
    this.#queue(message);
  }

  /** Totals contain the changes that wait, so they are dropped. The next ones come within seconds. */
  #setTotals(totals: SharedTotals): void {
    if (this.#changes.size === 0) this.engine.setTotals(totals, this.now());
  }

  /** Applies a change, or keeps it until those before it can be applied. */
  #queue(change: LimitMessageToGateway): void {
    // Counters of on-demand limits in memory have no call whose end is on its way.
    if (change.type === 'answer-counters' && this.#changes.size === 0) return this.#apply(change, this.now());
    this.#changes.add(change);
    if (this.#isChanging) return;
    this.#isChanging = true;
    this.#scheduler.later(this.#change, CHANGE_AFTER_MS);
  }

  readonly #change = (): void => {
    // An end that waits for the disk has no number yet: its call is neither open nor ended.
    this.#noteBackfilled();
    if (this.engine.pendingEnds > 0 || this.#parts.journal.problem !== null)
      return void this.#scheduler.later(this.#change, CHANGE_AFTER_MS);
    this.#isChanging = false;
    const now = this.now();
    for (const change of this.#changes.take()) this.#apply(change, now);
    this.#noteBackfilled();
  };

  #apply(change: LimitMessageToGateway, now: number): void {
    switch (change.type) {
      case 'limit-changed': {
        if (countsAgents(change.limit)) this.#unnotedEndSeq = this.#parts.journal.endSeq;
        const window = this.engine.put(change.limit, now);
        this.#parts.shared?.limitsChanged();
        if (window && !change.limit.countsPast) this.#announceInstalled(change.limit.counter, window);
        return;
      }
      case 'limit-removed':
        this.#backfilling.delete(change.id);
        this.engine.remove(change.id, now);
        return this.#parts.shared?.limitsChanged();
      case 'limit-backfilled':
        for (const [id, counter] of this.#backfilling) if (counter === change.counter) this.#backfilling.delete(id);
        return this.engine.addPast(change.counter, change.counters, now);
      case 'counters-moved':
        return this.engine.move(change.moves, now);
      case 'answer-counters':
        return this.engine.receiveCounters(change.question, change.counters, now);
      case 'answer-changes':
        return this.#parts.shared?.changesApplied(change.question, change.changes);
      case 'ask-applied':
        return this.#parts.send({ type: 'answer-applied', question: change.question });
      case 'ask-limits':
      case 'counters-totaled':
      case 'refusal-alerted':
      case 'overrun-found':
      case 'overrun-acknowledged':
      case 'answer-agents':
        return;
      default:
        change satisfies never;
    }
  }

  #announceInstalled(counter: number, window: Period | null, endSeq = this.#parts.journal.endSeq): void {
    if (!window) return;
    const values = this.engine.onDemandValues(counter);
    this.#parts.send({ type: 'limit-installed', counter, endSeq, ...window, ...(values && { values }) });
  }

  #dropIdleLater(): void {
    if (this.#dropsIdle) return;
    this.#dropsIdle = true;
    this.#scheduler.later(this.#dropIdle, DROP_IDLE_EVERY_MS);
  }

  /** Drops on-demand counters that were idle for a while, or immediately where many are in memory. */
  readonly #dropIdle = (): void => {
    const now = this.now();
    const { journal, shippedMark, idleMs = IDLE_MS } = this.#parts;
    const shippedTime = this.#shippedTimes.note(now, journal.endSeq, shippedMark());
    const idleSince = this.engine.isOnDemandCrowded ? now : now - idleMs;
    this.engine.dropIdle(idleSince, shippedTime);
    this.#dropsIdle = false;
    if (this.engine.onDemandCounters + this.engine.agents.size > 0) this.#dropIdleLater();
  };
}
