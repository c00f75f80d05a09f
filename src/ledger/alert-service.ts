import type { Log } from '../lib/log.ts';
import type { AlertMessage } from '../ipc/messages.ts';

/** Alerts that wait for a store that takes none; further ones are logged only. */
const WAITING_MAX = 100;
const RETRY_MS = 10_000;

interface AlertServiceOptions {
  readonly store: (told: AlertMessage) => Promise<void>;
  readonly log: Log;
  /** Runs `work` after a while; returns how to call it off. Default: the system's timer. */
  readonly later?: (work: () => void) => () => void;
}

/** Stores alerts and their ends in their order. What the store doesn't take, as when its disk is full, waits and is tried again. */
export class AlertService {
  readonly #options: AlertServiceOptions;
  readonly #waiting: AlertMessage[] = [];
  #running: Promise<void> | null = null;
  #callOff: (() => void) | null = null;

  constructor(options: AlertServiceOptions) {
    this.#options = options;
  }

  take(told: AlertMessage): void {
    if (this.#waiting.length < WAITING_MAX) this.#waiting.push(told);
    else this.#options.log.error(...logLine(told));
    this.#store();
  }

  /** Ends the waiting: what could not be stored by now is logged only. */
  async close(): Promise<void> {
    await this.#running;
    this.#callOff?.();
    // The first was logged when it was tried.
    for (const told of this.#waiting.slice(1)) this.#options.log.error(...logLine(told));
  }

  #store(): void {
    this.#running ??= this.#storeAll().finally(() => (this.#running = null));
  }

  async #storeAll(): Promise<void> {
    for (let told = this.#waiting[0]; told; told = this.#waiting[0]) {
      try {
        await this.#options.store(told);
      } catch (error) {
        const [facts, message] = logLine(told);
        this.#options.log.error({ err: error, ...facts }, message);
        this.#callOff?.();
        this.#callOff = (this.#options.later ?? systemTimer)(() => this.#store());
        return;
      }
      this.#waiting.shift();
    }
  }
}

function logLine(told: AlertMessage): [{ alert: string }, string] {
  if (told.type === 'alert') return [{ alert: told.alert.type }, told.alert.message];
  return [{ alert: told.episode }, 'this alert is over'];
}

function systemTimer(work: () => void): () => void {
  const timer = setTimeout(work, RETRY_MS);
  return () => clearTimeout(timer);
}
