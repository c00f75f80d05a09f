import type { Log } from '../lib/log.ts';
import type { AlertMessage } from '../ipc/messages.ts';

/** Alerts that wait while the store accepts none; further ones are only logged. */
const WAITING_MAX = 100;
const RETRY_MS = 10_000;

interface AlertServiceOptions {
  readonly store: (message: AlertMessage) => Promise<void>;
  readonly log: Log;
  /** Runs `work` later. Returns a function that cancels it. Default: the system's timer. */
  readonly later?: (work: () => void) => () => void;
}

/** Stores alerts and their ends in order. If the store fails, such as on a full disk, they wait and are retried. */
export class AlertService {
  readonly #options: AlertServiceOptions;
  readonly #waiting: AlertMessage[] = [];
  #running: Promise<void> | null = null;
  #callOff: (() => void) | null = null;

  constructor(options: AlertServiceOptions) {
    this.#options = options;
  }

  take(message: AlertMessage): void {
    if (this.#waiting.length < WAITING_MAX) this.#waiting.push(message);
    else this.#options.log.error(...logLine(message));
    this.#store();
  }

  /** Stops retrying. Alerts that could not be stored are only logged. */
  async close(): Promise<void> {
    await this.#running;
    this.#callOff?.();
    // The first was logged at its attempt.
    for (const message of this.#waiting.slice(1)) this.#options.log.error(...logLine(message));
  }

  #store(): void {
    this.#running ??= this.#storeAll().finally(() => (this.#running = null));
  }

  async #storeAll(): Promise<void> {
    for (let message = this.#waiting[0]; message; message = this.#waiting[0]) {
      try {
        await this.#options.store(message);
      } catch (error) {
        const [facts, text] = logLine(message);
        this.#options.log.error({ err: error, ...facts }, text);
        this.#callOff?.();
        this.#callOff = (this.#options.later ?? systemTimer)(() => this.#store());
        return;
      }
      this.#waiting.shift();
    }
  }
}

function logLine(message: AlertMessage): [{ alert: string }, string] {
  if (message.type === 'alert-raised') return [{ alert: message.alert.type }, message.alert.message];
  return [{ alert: message.episode }, 'this alert ended'];
}

function systemTimer(work: () => void): () => void {
  const timer = setTimeout(work, RETRY_MS);
  return () => clearTimeout(timer);
}
