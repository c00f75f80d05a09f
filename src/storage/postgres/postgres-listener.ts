import { Client, type ClientConfig } from 'pg';
import { type Scheduler, systemScheduler } from '../../lib/clock.ts';

/** Wait before a broken connection is opened again; doubled up to the maximum. */
const RETRY_MS = 500;
const RETRY_MS_MAX = 15_000;
/** Interval at which a connection without messages is checked. */
const CHECK_MS = 15_000;
/** Time for an answer. */
const ANSWER_MS_MAX = 5_000;
const KEEP_ALIVE_MS = 10_000;

export interface ListenerOptions {
  readonly address: ClientConfig;
  readonly channels: readonly string[];
  readonly onMessage: (channel: string, payload: string) => void;
  /** Called after each new connection: messages from before it are lost. */
  readonly onConnect: () => void;
  readonly scheduler?: Scheduler;
}

/** Listens to channels of `NOTIFY` on a separate connection, and opens it again whenever it breaks. */
export class PostgresListener {
  readonly #options: ListenerOptions;
  readonly #scheduler: Scheduler;
  #client: Client | null = null;
  #callOff = (): void => {};
  #retryMs = RETRY_MS;
  #isClosed = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#scheduler = options.scheduler ?? systemScheduler;
    void this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#callOff();
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const { address, channels, onMessage, onConnect } = this.#options;
    const client = new Client({
      application_name: 'tollbook',
      ...address,
      connectionTimeoutMillis: ANSWER_MS_MAX,
      query_timeout: ANSWER_MS_MAX,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    this.#client = client;
    client.on('error', () => this.#reconnect(client));
    client.on('end', () => this.#reconnect(client));
    client.on('notification', ({ channel, payload = '' }) => onMessage(channel, payload));
    try {
      await client.connect();
      for (const channel of channels) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    } catch {
      return this.#reconnect(client);
    }
    if (this.#client !== client) return;
    this.#retryMs = RETRY_MS;
    this.#checkLater(client);
    onConnect();
  }

  #checkLater(client: Client): void {
    this.#callOff = this.#scheduler.later(() => void this.#check(client), CHECK_MS);
  }

  /** A network may fail without a word. */
  async #check(client: Client): Promise<void> {
    try {
      await client.query('SELECT 1');
    } catch {
      return this.#reconnect(client);
    }
    if (this.#client === client) this.#checkLater(client);
  }

  #reconnect(client: Client): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = null;
    this.#callOff();
    client.end().catch(() => {});
    this.#callOff = this.#scheduler.later(() => void this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
  }
}
