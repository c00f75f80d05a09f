import type { CounterPlace } from '../domain/limits/limit.ts';
import type { Scheduler, Uptime } from '../lib/clock.ts';
import type { DatabaseClock } from './database-clock.ts';
import type { LeaseAnswer, LeaseRefusal, LeaseRequest } from './exchange.ts';
import type { LeaseRegistration, NodeLeases } from './node-leases.ts';

/** A heartbeat says that the node lives, and asks which of its amounts others need. */
const HEARTBEAT_MS = 1_000;
/** Between an answer and the next exchange: what many calls say goes into one. */
const GAP_MS = 10;
/** The same after calls lacked room that others have. These return it within a round trip. */
const SCARCE_GAP_MS = 25;
/** An exchange that is not answered in this time is given up, and said again. */
const ANSWER_MS_MAX = 5_000;
/** Waiting time after a failure; it doubles up to the second. */
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 2_000;

/** The way to the authority. */
export interface AuthorityLink {
  register(node: string, epoch: number): Promise<LeaseRegistration>;
  exchange(request: LeaseRequest): Promise<LeaseAnswer | LeaseRefusal>;
  leave(node: string, epoch: number): Promise<void>;
}

export interface LeaseRunnerOptions {
  readonly node: string;
  readonly leases: NodeLeases;
  readonly clock: Pick<DatabaseClock, 'answered'>;
  readonly link: AuthorityLink;
  readonly uptime: Uptime;
  readonly scheduler: Scheduler;
  /** Returns a random number that no process of this node had before. */
  readonly newEpoch: () => number;
  /** Reads the limits, has `leases` follow their changes, and calls `caughtUp` in the same turn. */
  readonly readLimits: () => Promise<void>;
  /** The ledger has calls of this node up to this position; null = it must be asked. The rest must be shipped. */
  readonly ship: (mark: number | null) => void;
  /** Tries the calls that wait. */
  readonly retry: () => void;
  /** Position of the journal up to which all ended calls are. */
  readonly position: () => number;
  /** The authority can't be asked; null = it can again. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Asks the authority for what the calls of this process need: one exchange at a time, immediately when a call lacks room, and
 * a heartbeat each second. Never throws: while the authority is away, calls go on from what was granted until the lease
 * ends.
 */
export class LeaseRunner {
  readonly #options: LeaseRunnerOptions;
  #isRegistered = false;
  #knowsLimits = false;
  #isRunning = false;
  #isStopped = false;
  #isHeartbeatDue = false;
  #failures = 0;
  #cancelStep: (() => void) | null = null;
  #nextAt = Number.NEGATIVE_INFINITY;
  #cancelBeat: (() => void) | null = null;
  /** Exchanges that were answered. */
  exchanges = 0;

  constructor(options: LeaseRunnerOptions) {
    this.#options = options;
  }

  /** Registers the process, and runs until `stop`. */
  start(): void {
    this.#scheduleBeat();
    this.wake();
  }

  /** Something is to be said. */
  wake(): void {
    if (this.#isStopped || this.#isRunning || this.#cancelStep) return;
    const { uptime, scheduler } = this.#options;
    const run = (): void => {
      this.#cancelStep = null;
      void this.#run();
    };
    this.#cancelStep = scheduler.later(run, Math.max(0, this.#nextAt - uptime()));
  }

  /** Other nodes need what this one has of these counters. */
  recall(places: readonly CounterPlace[]): void {
    this.#options.leases.recall(places, this.#options.uptime());
  }

  /** Limits have changed: they are read, and an exchange says so, because the change is answered when all nodes work with it. */
  limitsChanged(): void {
    this.#knowsLimits = false;
    this.#isHeartbeatDue = true;
    this.#nextAt = Number.NEGATIVE_INFINITY;
    this.#cancelStep?.();
    this.#cancelStep = null;
    this.wake();
  }

  /** Returns what no call uses. Calls have ended or will count whole: none may be admitted from now on. */
  async stop(): Promise<void> {
    const { leases, link, node, uptime } = this.#options;
    this.#isStopped = true;
    this.#cancelStep?.();
    this.#cancelBeat?.();
    leases.failed(leases.seq);
    leases.returnAll(uptime());
    try {
      await this.#exchange();
      if (this.#isRegistered) await this.#inTime(link.leave(node, leases.epoch));
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }

  #scheduleBeat(): void {
    const { scheduler, leases, uptime, position } = this.#options;
    this.#cancelBeat = scheduler.later(() => {
      this.#isHeartbeatDue = true;
      leases.beat(uptime());
      leases.dropIdle(uptime(), position());
      this.#scheduleBeat();
      this.wake();
    }, HEARTBEAT_MS);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      await this.#step();
      if (this.#failures > 0) this.#options.onTrouble(null);
      this.#failures = 0;
    } catch (error) {
      this.#wait(Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** this.#failures));
      this.#failures += 1;
      this.#options.onTrouble(error);
    }
    this.#isRunning = false;
    if (this.#options.leases.isWanting || this.#isHeartbeatDue || !this.#isRegistered || !this.#knowsLimits)
      this.wake();
  }

  async #step(): Promise<void> {
    if (!this.#isRegistered) await this.#register();
    if (!this.#knowsLimits) await this.#readLimits();
    await this.#exchange();
  }

  async #register(): Promise<void> {
    const { leases, link, node, newEpoch, ship } = this.#options;
    const registration = await this.#inTime(link.register(node, newEpoch()));
    leases.registered(registration);
    this.#isRegistered = true;
    this.#knowsLimits = false;
    ship(null);
  }

  async #readLimits(): Promise<void> {
    // Not later: a change that is announced while they are read must be read, too.
    this.#knowsLimits = true;
    try {
      await this.#inTime(this.#options.readLimits());
    } catch (error) {
      this.#knowsLimits = false;
      throw error;
    }
  }

  async #exchange(): Promise<void> {
    const { leases, link, uptime } = this.#options;
    const request = leases.nextExchange(uptime(), this.#isHeartbeatDue);
    if (!request) return;
    this.#isHeartbeatDue = false;
    try {
      this.#receive(await this.#inTime(link.exchange(request)));
      this.exchanges += 1;
    } finally {
      // Also an answer that could not be taken: what was said is said again.
      leases.failed(request.seq);
    }
  }

  #receive(answer: LeaseAnswer | LeaseRefusal): void {
    if (answer.kind === 'granted') return this.#granted(answer);
    const { leases, ship } = this.#options;
    leases.refused(answer);
    switch (answer.kind) {
      case 'stale':
        this.#isRegistered = false;
        return this.#wait(RETRY_MS_MIN);
      case 'restate':
        this.#knowsLimits = false;
        // A failover may have lost calls that were shipped.
        ship(null);
        return;
      case 'unshipped':
        ship(answer.mark);
        return this.#wait(SCARCE_GAP_MS);
      case 'unsupported':
        throw new Error('The authority has another version. Update all nodes to the same.');
    }
  }

  #granted(answer: LeaseAnswer): void {
    const { leases, clock, uptime, retry } = this.#options;
    clock.answered(answer.time, uptime());
    leases.answered(answer, uptime(), retry);
    if (!answer.isRenewed) this.#knowsLimits = false;
    const lacks = answer.grants.some(({ state }) => state === 'scarce' || state === 'unready');
    this.#wait(lacks ? SCARCE_GAP_MS : GAP_MS);
  }

  #wait(ms: number): void {
    this.#nextAt = this.#options.uptime() + ms;
  }

  /** Rejects if there is no result in time. */
  async #inTime<Result>(work: Promise<Result>): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = this.#options.scheduler.later(
      () => reject(new Error(`The authority did not answer within ${ANSWER_MS_MAX} ms.`)),
      ANSWER_MS_MAX,
    );
    try {
      return await Promise.race([work, late]);
    } finally {
      cancel();
    }
  }
}
