import type { Alert } from '../core/alert.ts';
import type { Log } from '../lib/log.ts';

/** Alerts that wait for a store that takes none; further ones are logged only. */
const WAITING_MAX = 100;
const RETRY_MS = 10_000;

interface AlertDeskOptions {
  readonly raise: (alert: Alert) => Promise<void>;
  readonly log: Log;
  /** Runs `work` after a while; returns how to call it off. Default: the system's timer. */
  readonly later?: (work: () => void) => () => void;
}

/** Stores alerts in their order. What the store doesn't take, as when its disk is full, waits and is tried again. */
export class AlertDesk {
  readonly #options: AlertDeskOptions;
  readonly #waiting: Alert[] = [];
  #running: Promise<void> | null = null;
  #callOff: (() => void) | null = null;

  constructor(options: AlertDeskOptions) {
    this.#options = options;
  }

  take(alert: Alert): void {
    if (this.#waiting.length < WAITING_MAX) this.#waiting.push(alert);
    else this.#options.log.error({ alert: alert.type }, alert.message);
    this.#store();
  }

  /** Ends the waiting: what could not be stored by now is logged only. */
  async close(): Promise<void> {
    await this.#running;
    this.#callOff?.();
  }

  #store(): void {
    this.#running ??= this.#storeAll().finally(() => (this.#running = null));
  }

  async #storeAll(): Promise<void> {
    for (let alert = this.#waiting[0]; alert; alert = this.#waiting[0]) {
      try {
        await this.#options.raise(alert);
      } catch (error) {
        this.#options.log.error({ err: error, alert: alert.type }, alert.message);
        this.#callOff?.();
        this.#callOff = (this.#options.later ?? after)(() => this.#store());
        return;
      }
      this.#waiting.shift();
    }
  }
}

function after(work: () => void): () => void {
  const timer = setTimeout(work, RETRY_MS);
  return () => clearTimeout(timer);
}
