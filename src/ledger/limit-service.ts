import { TollbookError } from '../domain/errors.ts';
import {
  amountAt,
  countsEachValue,
  isOnDemand,
  type CounterPlace,
  type CounterMove,
  type CounterState,
  type Limit,
  type CounterStatus,
  type HeldAmount,
} from '../domain/limits/limit.ts';
import type { AlertType } from '../domain/alerts/alert.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { RefusalEpisode } from '../limits/refusal-episodes.ts';
import { subtractWhole } from '../domain/money/money.ts';
import type { Period } from '../domain/time/period.ts';
import { readOverrun, readRefusalEpisode } from '../limits/alerts.ts';
import { windowAt } from '../domain/time/window.ts';
import { type Clock, type Scheduler, systemScheduler } from '../lib/clock.ts';
import { AGENTS_ABOVE_MAX, ANSWERED_AGENTS_MAX } from '../limits/agent-tree.ts';
import { TurnQueue } from '../lib/concurrency/turn-queue.ts';
import type { Records } from '../storage/records/records.ts';
import { readStatedDifferences, type StatedPriceParts } from '../storage/stated-differences.ts';
import type { StatedRatio } from '../limits/stated-ratios.ts';
import type { LimitMessageToGateway, LimitMessageToLedger, LimitSnapshot } from '../ipc/messages.ts';
import type { CounterStore, PricedAs } from '../storage/counter-store.ts';
import type { UsageQueries } from '../storage/usage-queries.ts';

/** Time that the gateway has to answer from its memory. */
const ANSWER_MS_MAX = 2_000;
/** Requests that may wait for an answer. */
const QUESTIONS_MAX = 1_000;
/** Newest alerts of a workspace that a start reads for limits that refuse calls. */
const LOADED_ALERTS_MAX = 1_000;
const LIMIT_ALERTS: readonly AlertType[] = ['BUDGET_EXCEEDED', 'RATE_LIMIT'];
/** Sessions, agents or runs of one limit that are read from the ledger; one more than a list shows. */
const VALUES_PER_LIMIT_MAX = 101;

export interface LimitServiceParts {
  readonly records: Pick<Records, 'limits' | 'workspaces'> & {
    readonly alerts: Pick<Records['alerts'], 'unread' | 'list'>;
  };
  readonly counters: CounterStore;
  readonly reports: Pick<UsageQueries, 'newestCallAt'> & StatedPriceParts['reports'];
  readonly providers: StatedPriceParts['providers'];
  readonly clock: Clock;
  readonly pricedAs: (workspaceId: string) => PricedAs;
  /** Id of the gateway's node. Default: that of the records. */
  readonly node?: string | null;
  /** Reads the mark of this node's journal. Default: no other node shares the limits. */
  readonly readMark?: (() => Promise<number>) | null;
  /** Reads what open calls of other nodes hold. Default: there are no others. */
  readonly readHeldElsewhere?: ((counters: readonly number[]) => Promise<readonly HeldAmount[]>) | null;
  /** Turns of changes and readings of counters, which the services of several gateways share. Default: its own. */
  readonly turns?: TurnQueue;
  /** null = no gateway. */
  readonly sendToGateway: ((message: LimitMessageToGateway) => void) | null;
  /** Default: the system's. */
  readonly scheduler?: Scheduler;
}

type LimitInstalled = Extract<LimitMessageToLedger, { type: 'limit-installed' }>;
type AskedAgents = Extract<LimitMessageToLedger, { type: 'ask-agents' }>;
type CounterQuestion = Extract<LimitMessageToLedger, { type: 'ask-counters' }>;
type GatewayAnswer = Extract<LimitMessageToLedger, { type: 'answer-limits' | 'answer-applied' }>;

export interface CounterChange {
  readonly moves: readonly CounterMove[];
}

/** Serves the limits engine in the gateway: its initial state, backfills of new limits, and counter status. */
export class LimitService {
  readonly #parts: LimitServiceParts;
  readonly #questions = new Map<number, (answer: GatewayAnswer) => void>();
  #asked = 0;
  readonly #turns: TurnQueue;
  /** True once the gateway's counters were read: later moves must be sent. */
  #isRead = false;

  constructor(parts: LimitServiceParts) {
    this.#parts = parts;
    this.#turns = parts.turns ?? new TurnQueue();
  }

  /**
   * Returns limits and counters for the gateway, without counters of past windows, of limits that are not backfilled,
   * and on-demand ones.
   */
  async snapshot(): Promise<LimitSnapshot> {
    const { records, counters, clock, node } = this.#parts;
    const limits = await records.limits.all(node);
    const now = clock();
    const from = new Map<number, number>();
    let oldest = now;
    const inMemory = limits.filter((limit) => !isOnDemand(limit));
    for (const { window, zones, counter, countsPast } of inMemory) {
      const { start } = windowAt(window, now, zones);
      if (countsPast) from.set(counter, start);
      if (start > 0) oldest = Math.min(oldest, start);
    }
    const isAll = inMemory.length === limits.length;
    const reading = isAll ? counters.list(oldest) : counters.list(oldest, [...from.keys()]);
    this.#isRead = true;
    const states = await reading;
    return {
      limits,
      counters: states.filter(({ counter, windowStart }) => windowStart >= (from.get(counter) ?? Infinity)),
      newestCallAt: await newestCallAt(records, this.#parts.reports),
      overruns: (await records.alerts.unread('OVERRUN')).flatMap((alert) => readOverrun(alert) ?? []),
      statedRatios: await this.#statedRatios(now),
      refusals: await this.#refusalEpisodes(now - DAY_MS),
    };
  }

  /** Returns the models for which more was stated than prices give, on the newest day with calls. */
  async #statedRatios(now: number): Promise<StatedRatio[]> {
    const found: StatedRatio[] = [];
    for (const { id: workspaceId } of await this.#parts.records.workspaces.list())
      for (const { provider, model, ratio } of await readStatedDifferences(this.#parts, workspaceId, now))
        if (ratio > 1) {
          const pricedModel = this.#parts.pricedAs(workspaceId)(provider, model);
          found.push({ workspaceId, provider, model, pricedModel, ratio });
        }
    return found;
  }

  /** Returns the alerts of limits that refuse calls: those since a time, and earlier ones that are still open. */
  async #refusalEpisodes(since: number): Promise<RefusalEpisode[]> {
    const { alerts, workspaces } = this.#parts.records;
    const found: RefusalEpisode[] = [];
    for (const { id } of await workspaces.list()) {
      const newest = await alerts.list(id, { limit: LOADED_ALERTS_MAX, unreadOnly: false, types: LIMIT_ALERTS });
      for (const alert of newest) {
        const episode = readRefusalEpisode(alert);
        if (episode && (episode.isOpen || episode.at >= since)) found.push(episode);
      }
    }
    return found;
  }

  /**
   * Backfills a new limit: counts the entries of its window from before the gateway counted it. All entries up to its
   * end must be in the store. Limits with on-demand counters count from the moment they are installed.
   */
  async installed({ counter, start, end, values = [] }: LimitInstalled): Promise<void> {
    const { records, counters, node, sendToGateway } = this.#parts;
    const limit = await records.limits.byCounter(counter);
    if (!limit) return;
    await this.#turns.run(async () => {
      const past = isOnDemand(limit)
        ? await counters.read(values.map((value) => ({ counter, windowStart: start, value })))
        : await this.#backfill(limit, { start, end });
      // Before anything else: later corrections must follow the backfill that they change. The gateway accepts a backfill once.
      sendToGateway?.({ type: 'limit-backfilled', counter, counters: past });
    });
    await records.limits.markBackfilled(counter, node);
  }

  async #backfill(limit: Limit, window: Period): Promise<CounterState[]> {
    const { counters, pricedAs } = this.#parts;
    const { counter, workspaceId } = limit;
    // If ledger time was ahead before a crash, later windows have counts already.
    const later = await counters.list(window.end, [counter]);
    const past = await counters.backfill(limit, window, pricedAs(workspaceId));
    return [...past, ...later.filter(({ windowStart }) => windowStart >= window.end)];
  }

  /** Answers which parents agents have named. */
  async readAgents({ question, workspaceId, keyId, session, agents }: AskedAgents): Promise<void> {
    const { counters, sendToGateway } = this.#parts;
    const most = { agentsMax: ANSWERED_AGENTS_MAX, parentsMax: AGENTS_ABOVE_MAX + 1 };
    const found = await counters.agentParents({ workspaceId, keyId, session, agents, ...most });
    sendToGateway?.({ type: 'answer-agents', question, agents: found });
  }

  /** Answers what on-demand counters have counted. */
  async readCounters({ question, counters: places }: CounterQuestion): Promise<void> {
    const { counters, sendToGateway } = this.#parts;
    await this.#turns.run(async () => {
      sendToGateway?.({ type: 'answer-counters', question, counters: await counters.read(places) });
    });
  }

  /**
   * Runs a change of the store, and sends its counter moves other than those of calls, which the gateway counts itself.
   * No counter is read between the two: the gateway would miss a move, or count it twice.
   */
  async change<Result extends CounterChange>(work: () => Promise<Result>): Promise<Result> {
    return await this.#turns.run(async () => {
      const result = await work();
      this.sendMoves(result.moves);
      return result;
    });
  }

  /** Sends moves of counters, in the turn of their change. */
  sendMoves(moves: readonly CounterMove[]): void {
    if (moves.length > 0 && this.#isRead) this.#parts.sendToGateway?.({ type: 'counters-moved', moves });
  }

  /** Ends questions to a gateway that is gone. Changes are in force without it. */
  close(): void {
    for (const answer of this.#questions.values()) answer({ type: 'answer-applied', question: 0 });
  }

  answered(answer: GatewayAnswer): void {
    this.#questions.get(answer.question)?.(answer);
  }

  /** Returns the status of limits. Throws `unavailable` when the gateway does not answer. */
  async standings(limits: readonly Limit[]): Promise<readonly CounterStatus[]> {
    const { sendToGateway } = this.#parts;
    if (!sendToGateway) return this.#stored(limits);
    if (this.#parts.readMark) await this.#sendTotals(() => this.#storedTotals(limits));
    const ids = limits.map(({ id }) => id);
    const answer = await this.#ask((question) => sendToGateway({ type: 'ask-limits', question, limits: ids }));
    if (answer?.type !== 'answer-limits') throw gatewaySilent();
    return [...answer.standings, ...(await this.#storedValues(limits, answer.standings))];
  }

  /** Sends what counters have counted, of the calls of all nodes. */
  async sendTotals(places: readonly CounterPlace[]): Promise<void> {
    await this.#sendTotals(() => this.#parts.counters.read(places));
  }

  async #sendTotals(read: () => Promise<readonly CounterState[]>): Promise<void> {
    const { readMark, readHeldElsewhere, sendToGateway } = this.#parts;
    if (!readMark) return;
    await this.#turns.run(async () => {
      const counters = await read();
      // Calls may be shipped between the two. Those are in neither, until the next totals.
      const mark = await readMark();
      const held = (await readHeldElsewhere?.([...new Set(counters.map(({ counter }) => counter))])) ?? [];
      sendToGateway?.({ type: 'counters-totaled', mark, counters, held });
    });
  }

  /** Returns the stored counters of some limits; of limits on each value, the fullest. */
  async #storedTotals(limits: readonly Limit[]): Promise<CounterState[]> {
    const { counters, clock } = this.#parts;
    const now = clock();
    const places: CounterPlace[] = [];
    const states: CounterState[] = [];
    for (const { counter, window, zones, scope, unit } of limits) {
      if (unit === 'concurrency') continue;
      const place = { counter, windowStart: windowAt(window, now, zones).start };
      if (countsEachValue(scope)) states.push(...(await counters.fullest(place, VALUES_PER_LIMIT_MAX)));
      else places.push({ ...place, value: '' });
    }
    return [...states, ...(await counters.read(places))];
  }

  /**
   * Returns the fullest sessions, agents and runs that the gateway doesn't have in memory. It drops a counter only when
   * no call holds anything under it and the ledger has counted all, so the stored figures are complete.
   */
  async #storedValues(limits: readonly Limit[], inMemory: readonly CounterStatus[]): Promise<CounterStatus[]> {
    const { counters, clock } = this.#parts;
    const now = clock();
    const known = new Set(inMemory.map(({ limit, value }) => `${limit.id} ${value}`));
    const stored: CounterStatus[] = [];
    for (const limit of limits.filter(isOnDemand)) {
      const window = windowAt(limit.window, now, limit.zones);
      const place = { counter: limit.counter, windowStart: window.start };
      for (const state of await counters.fullest(place, VALUES_PER_LIMIT_MAX))
        if (!known.has(`${limit.id} ${state.value}`)) stored.push(toStanding(limit, state, window, now));
    }
    return stored;
  }

  /**
   * Resolves when the gateway has applied all messages; false = it does not confirm, because of a journal problem.
   */
  async waitUntilApplied(): Promise<boolean> {
    const { sendToGateway } = this.#parts;
    if (!sendToGateway) return true;
    return (await this.#ask((question) => sendToGateway({ type: 'ask-applied', question }))) !== null;
  }

  /** Sends a request; null = no response in time. */
  async #ask(send: (question: number) => void): Promise<GatewayAnswer | null> {
    const { scheduler = systemScheduler } = this.#parts;
    if (this.#questions.size >= QUESTIONS_MAX) return null;
    this.#asked += 1;
    const question = this.#asked;
    try {
      return await new Promise((resolve) => {
        const callOff = scheduler.later(() => resolve(null), ANSWER_MS_MAX);
        this.#questions.set(question, (answer) => {
          callOff();
          resolve(answer);
        });
        send(question);
      });
    } finally {
      this.#questions.delete(question);
    }
  }

  /**
   * Returns the status without a gateway: no calls are in flight, and a limit that was never backfilled counts its
   * entries.
   */
  async #stored(limits: readonly Limit[]): Promise<CounterStatus[]> {
    const { counters, clock, pricedAs } = this.#parts;
    const now = clock();
    const standings: CounterStatus[] = [];
    for (const limit of limits) {
      const window = windowAt(limit.window, now, limit.zones);
      if (isOnDemand(limit)) continue;
      const states = limit.countsPast
        ? await counters.list(window.start, [limit.counter])
        : (await counters.recount(limit, window, pricedAs(limit.workspaceId))).expected;
      const isOpen = (state: CounterState): boolean => state.windowStart === window.start;
      standings.push(...states.filter(isOpen).map((state) => toStanding(limit, state, window, now)));
    }
    return [...standings, ...(await this.#storedValues(limits, []))];
  }
}

/** Returns the start of the newest call in the store; 0 = there is none. */
export async function newestCallAt(
  records: Pick<Records, 'workspaces'>,
  reports: Pick<UsageQueries, 'newestCallAt'>,
): Promise<number> {
  let newest = 0;
  for (const { id } of await records.workspaces.list()) newest = Math.max(newest, await reports.newestCallAt(id));
  return newest;
}

export function toStanding(limit: Limit, state: CounterState, { start, end }: Period, now: number): CounterStatus {
  const { value, counted, uncertain } = state;
  const amount = amountAt(limit, now);
  const left = Math.max(0, Number(subtractWhole(amount, counted)));
  const windowEnd = Number.isFinite(end) ? end : null;
  return { limit, value, windowStart: start, windowEnd, amount, counted, uncertain, held: 0, left };
}

export function gatewaySilent(): TollbookError {
  return new TollbookError('unavailable', 'The gateway does not answer. Try again in a moment.');
}
