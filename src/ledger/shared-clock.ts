import { type Clock, type Scheduler, sleeplessUptime, type Uptime } from '../lib/clock.ts';

/** Interval at which the time of the database is read. */
const READ_EVERY_MS = 10_000;
/** An answer that took longer says too little about the time, unless it is the first. */
const ANSWER_MS_MAX = 500;

interface SharedClockParts {
  /** Clock of this machine. */
  readonly wall: Clock;
  readonly uptime: Uptime;
  readonly scheduler: Scheduler;
}

/**
 * Clock of the processes that share a database: they follow its time, so that what one of them notes ends at the same moment
 * for all. Before the first answer, and on a database that is not shared, it is the clock of this machine.
 */
export class SharedClock {
  readonly #parts: SharedClockParts;
  /** Moves while the machine sleeps. */
  readonly #uptime: Uptime;
  /** Time of the database at an uptime of 0; null = not known. */
  #origin: number | null = null;
  #callOff = (): void => {};

  constructor(parts: SharedClockParts) {
    this.#parts = parts;
    this.#uptime = sleeplessUptime(parts.uptime, parts.wall);
  }

  readonly now: Clock = () => (this.#origin === null ? this.#parts.wall() : Math.floor(this.#origin + this.#uptime()));

  /** Follows the time that a database answers. Rejects if it does not answer the first time. */
  async follow(read: () => Promise<number>): Promise<void> {
    await this.#read(read);
    this.#readLater(read);
  }

  close(): void {
    this.#callOff();
  }

  #readLater(read: () => Promise<number>): void {
    const again = (): void => this.#readLater(read);
    this.#callOff = this.#parts.scheduler.later(() => {
      // A database that is away is noticed elsewhere. The time goes on without it.
      this.#read(read).then(again, again);
    }, READ_EVERY_MS);
  }

  async #read(read: () => Promise<number>): Promise<void> {
    const asked = this.#uptime();
    const time = await read();
    const answered = this.#uptime();
    if (this.#origin !== null && answered - asked > ANSWER_MS_MAX) return;
    // The database read its clock somewhere between the two.
    this.#origin = time - (asked + answered) / 2;
  }
}
