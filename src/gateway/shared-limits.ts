import { randomInt } from 'node:crypto';
import type { CounterPlace } from '../domain/limits/limit.ts';
import type { LeaseMessageToGateway, LeaseMessageToLedger, LeaseStart } from '../ipc/lease-messages.ts';
import { DatabaseClock } from '../leases/database-clock.ts';
import type { LeaseCell } from '../leases/lease-cell.ts';
import { LeaseRunner } from '../leases/lease-runner.ts';
import { NodeLeases } from '../leases/node-leases.ts';
import type { Scheduler, Uptime } from '../lib/clock.ts';
import type { LimitCounter } from '../limits/counter.ts';
import type { SharedCounters, UnshippedUse } from '../limits/shared-counters.ts';
import { LedgerAuthority } from './authority-link.ts';
import { HeldAmounts } from './held-amounts.ts';
import { RecentUses } from './recent-uses.ts';

/** Interval of noting what open calls hold, and of asking the ledger what other nodes hold and have counted. */
const FIGURES_MS = 1_000;
/** Epochs are below this: what `randomInt` draws at most. */
const EPOCHS = 2 ** 47;

export interface SharedLimitsParts extends LeaseStart {
  readonly send: (message: LeaseMessageToLedger) => void;
  /** For the time of the database, which must not be ahead. */
  readonly uptime: Uptime;
  /** Moves while the machine sleeps: leases end in that time, too. */
  readonly leaseUptime: Uptime;
  readonly scheduler: Scheduler;
  /** Tries the calls that wait. */
  readonly retry: () => void;
  /** Counters whose totals may be asked for. */
  readonly places: () => Iterator<CounterPlace>;
  /** Counters under which calls are open. */
  readonly held: () => ReadonlySet<LimitCounter>;
  /** Last end in the journal. */
  readonly position: () => number;
  /** The authority can't be asked; null = it can again. */
  readonly onTrouble: (error: unknown) => void;
  /** Default: a random number. */
  readonly newEpoch?: () => number;
}

/** The limits that this process shares with other nodes: its leases, and the time of their windows. */
export class SharedLimits implements SharedCounters {
  readonly #parts: SharedLimitsParts;
  readonly #leases: NodeLeases;
  readonly #clock = new DatabaseClock();
  readonly #link: LedgerAuthority;
  readonly #runner: LeaseRunner;
  readonly #recent: RecentUses;
  readonly #held = new HeldAmounts();
  /** Registration under which it was last noted what open calls hold. */
  #heldEpoch = 0;
  #isTroubled = false;
  #callOff = (): void => {};

  constructor(parts: SharedLimitsParts) {
    const { node, time, uptime, leaseUptime, scheduler, newEpoch = () => randomInt(EPOCHS) } = parts;
    this.#parts = parts;
    this.#recent = new RecentUses(parts.position);
    this.#clock.answered(time, uptime());
    this.#link = new LedgerAuthority(parts.send);
    this.#leases = new NodeLeases({ node, position: 0, onWant: () => this.#runner.wake() });
    this.#runner = new LeaseRunner({
      node,
      leases: this.#leases,
      clock: { answered: (answered) => this.#clock.answered(answered, uptime()) },
      link: this.#link,
      uptime: leaseUptime,
      scheduler,
      newEpoch,
      readLimits: async () => void (await this.#link.changes()),
      ship: () => parts.send({ type: 'mark-lost' }),
      retry: parts.retry,
      position: parts.position,
      onTrouble: (error) => this.#noteTrouble(error),
    });
  }

  /** Time of the database, for windows: it never falls, and is never ahead. */
  readonly now = (): number => this.#clock.now(this.#parts.uptime());

  get uptime(): number {
    return this.#parts.leaseUptime();
  }

  get isLive(): boolean {
    return this.#leases.isLive(this.uptime);
  }

  get isAway(): boolean {
    return this.#isTroubled && !this.isLive;
  }

  /** Registers this process. @param position last end that the process found in the journal, or wrote for a dead one */
  start(position: number): void {
    this.#leases.uncountedTo(position);
    this.#runner.start();
    this.#shareFiguresLater();
  }

  /** Returns what no call uses. No call may be admitted from now on. */
  async stop(): Promise<void> {
    this.#callOff();
    await this.#runner.stop();
  }

  receive(message: LeaseMessageToGateway): void {
    if (message.type === 'counters-recalled') this.#runner.recall(message.places);
    else this.#link.answered(message);
  }

  /** A limit has changed, or is gone: the number of the newest change must be read again. */
  limitsChanged(): void {
    this.#runner.limitsChanged();
  }

  /** This process works with all changes of limits up to a number. */
  changesApplied(question: number, changes: number): void {
    this.#leases.caughtUp(changes);
    this.#link.changesApplied(question, changes);
  }

  cell(place: CounterPlace): LeaseCell | null {
    return this.#leases.cell(place, this.uptime);
  }

  openNew(place: CounterPlace): void {
    this.#leases.openNew(place, this.uptime);
  }

  changed(counter: number): void {
    this.#leases.changed(counter, this.uptime);
  }

  uncounted(): void {
    this.#leases.uncountedTo(this.#parts.position());
  }

  ended(counter: LimitCounter, counted: number, uncertain: number): void {
    this.#recent.ended(counter, counted, uncertain);
  }

  shippedTo(mark: number): void {
    this.#recent.shippedTo(mark);
  }

  unshipped(counter: LimitCounter): UnshippedUse {
    return this.#recent.unshipped(counter);
  }

  #shareFiguresLater(): void {
    this.#callOff = this.#parts.scheduler.later(() => {
      if (!this.#isTroubled) this.#askTotals();
      if (this.isLive) void this.#noteHeld();
      this.#shareFiguresLater();
    }, FIGURES_MS);
  }

  /** Figures and alerts are those of all nodes: the ledger says what the others have counted. */
  #askTotals(): void {
    const { send, places } = this.#parts;
    const asked = this.#recent.next(places);
    if (asked.length > 0) send({ type: 'ask-totals', places: asked });
  }

  async #noteHeld(): Promise<void> {
    const { epoch } = this.#leases;
    if (epoch !== this.#heldEpoch) this.#held.restate();
    const statement = this.#held.next(this.#parts.held());
    if (!statement) return;
    try {
      await this.#link.noteHeld(epoch, statement);
      this.#held.confirmed(statement);
      this.#heldEpoch = epoch;
    } catch {
      // The runner notices what is wrong, and says so. All is said again.
      this.#held.failed();
    }
  }

  #noteTrouble(error: unknown): void {
    this.#isTroubled = error !== null;
    this.#parts.onTrouble(error);
  }
}
