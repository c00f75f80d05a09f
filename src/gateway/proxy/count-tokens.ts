import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Uptime } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { OutgoingRequest, TokenCounter } from '../../providers/provider.ts';
import { clientHeaders, type FlatHeaders, type HeaderRecord } from './headers.ts';
import { type BodyBudget, BodyLease } from './body-budget.ts';
import type { KeyLoad, KeyLoads } from './key-loads.ts';
import type { ConnectionHolder, ConnectionLease, UpstreamTarget } from './upstream.ts';
import { TollbookError } from '../../domain/errors.ts';

/** The provider refused to count an invalid prompt. It would refuse the call for the same reason. */
export class CountRefusal extends Error {
  override readonly name = 'CountRefusal';
  readonly status: number;
  readonly headers: FlatHeaders;
  readonly body: Buffer;

  constructor(status: number, headers: FlatHeaders, body: Buffer) {
    super(`the token counter answered ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** Concurrent counts of one wrapped key. The provider limits them too. */
export const COUNTS_PER_KEY_MAX = 8;
/** Counts of one key that may wait for those. */
export const COUNTS_WAITING_PER_KEY_MAX = 64;
/** Longest time of a count, from the question to the answer's last byte. */
export const COUNT_MS_MAX = 2_000;
const ANSWER_BYTES_MAX = 64 * 1_024;
const SWEEP_MS = 50;
const INVALID = 400;
/** Client-error statuses that may pass when the request is repeated. */
const TRANSIENT_STATUSES: readonly number[] = [408, 425, 429];
const NOT_IMPLEMENTED = 501;

export interface CountRequest {
  readonly keyId: string;
  readonly counter: TokenCounter;
  readonly target: UpstreamTarget;
  /** Upstream headers of the call, with the provider's key. */
  readonly headers: Readonly<HeaderRecord>;
  /** Completes the provider's key in the request; absent = it is complete. */
  readonly sign?: ((request: OutgoingRequest) => void) | undefined;
  /** Share of the client address; null = unknown. */
  readonly client: ConnectionHolder | null;
  /** The call's decoded body. */
  readonly body: Uint8Array;
}

/** Reason for no count: it did not come in time (`late`), or this request never gets one (`never`). */
export type NoCountReason = 'late' | 'never';

/** Receives the most tokens the prompt can have, the provider's refusal of the prompt, or the reason for no count. */
export type CountCallback = (count: number | CountRefusal | NoCountReason) => void;

export interface TokenCountsDeps {
  readonly bodies: BodyBudget;
  readonly loads: KeyLoads;
  readonly uptime: Uptime;
  readonly log: Log;
}

/** Running and waiting counts of one wrapped key. */
interface KeyLane {
  running: number;
  readonly waiting: TokenCount[];
}

/** Asks the providers' free token counters how long prompts are. */
export class TokenCounts {
  readonly #deps: TokenCountsDeps;
  /** Only keys with a running count. */
  readonly #lanes = new Map<string, KeyLane>();
  /** Oldest first. */
  readonly #pending = new Set<TokenCount>();
  #sweeper: NodeJS.Timeout | null = null;

  constructor(deps: TokenCountsDeps) {
    this.#deps = deps;
  }

  /** Number of running and waiting counts. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Asks, or waits for its turn. `counted` runs once, later. The returned function cancels the count. */
  ask(request: CountRequest, counted: CountCallback): () => void {
    const count = new TokenCount(this.#deps, request, (result) => {
      this.#leave(count);
      counted(result);
    });
    this.#pending.add(count);
    const lane = this.#openLane(request.keyId);
    if (lane.running < COUNTS_PER_KEY_MAX) this.#start(lane, count);
    else if (lane.waiting.length < COUNTS_WAITING_PER_KEY_MAX) lane.waiting.push(count);
    else queueMicrotask(() => count.fail('too many counts of this key wait already'));
    this.#sweeper ??= setInterval(() => this.sweep(), SWEEP_MS);
    return () => {
      if (count.abandon()) this.#leave(count);
    };
  }

  /** Gives up counts that take too long. */
  sweep(): void {
    const uptime = this.#deps.uptime();
    for (const count of this.#pending) {
      if (count.until > uptime) return;
      count.fail(`no answer within ${COUNT_MS_MAX} ms`);
    }
  }

  #openLane(keyId: string): KeyLane {
    let lane = this.#lanes.get(keyId);
    if (!lane) this.#lanes.set(keyId, (lane = { running: 0, waiting: [] }));
    return lane;
  }

  #start(lane: KeyLane, count: TokenCount): void {
    lane.running += 1;
    count.started = true;
    queueMicrotask(() => count.start());
  }

  #leave(count: TokenCount): void {
    this.#pending.delete(count);
    if (this.#pending.size === 0 && this.#sweeper) {
      clearInterval(this.#sweeper);
      this.#sweeper = null;
    }
    const { keyId } = count.request;
    const lane = this.#openLane(keyId);
    if (count.started) lane.running -= 1;
    else if (lane.waiting.includes(count)) lane.waiting.splice(lane.waiting.indexOf(count), 1);
    const next = lane.running < COUNTS_PER_KEY_MAX ? lane.waiting.shift() : undefined;
    if (next) this.#start(lane, next);
    else if (lane.running === 0) this.#lanes.delete(keyId);
  }
}

/** One request to a token counter. */
class TokenCount implements Dispatcher.DispatchHandler {
  readonly request: CountRequest;
  /** Uptime at which it is given up. */
  readonly until: number;
  started = false;
  readonly #deps: TokenCountsDeps;
  readonly #done: CountCallback;
  #over = false;
  #controller: Dispatcher.DispatchController | null = null;
  #connection: ConnectionLease | null = null;
  readonly #key: KeyLoad;
  readonly #lease: BodyLease;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  /** Headers of an answer that refuses the prompt. */
  #refusal: FlatHeaders | null = null;

  constructor(deps: TokenCountsDeps, request: CountRequest, done: CountCallback) {
    this.#deps = deps;
    this.request = request;
    this.#key = deps.loads.get(request.keyId);
    this.#lease = new BodyLease(deps.bodies, this.#key, null);
    this.until = deps.uptime() + COUNT_MS_MAX;
    this.#done = done;
  }

  start(): void {
    if (this.#over) return;
    const { log } = this.#deps;
    const { counter, target, headers, sign, client } = this.request;
    try {
      const body = counter.requestOf(this.request.body);
      const full = this.#lease.take(body.length);
      if (full) return this.fail(full.message);
      const options = {
        origin: target.origin,
        path: target.prefix + counter.upstreamPath,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'accept-encoding': 'identity' },
        body,
      } as const;
      sign?.(options);
      const connection = target.lease(this.#key, client);
      if (connection instanceof TollbookError) return this.fail(connection.message);
      this.#connection = connection;
      target.pool.dispatch(options, this);
    } catch (error) {
      log.error({ err: error }, 'a request for a count of tokens could not be made');
      this.fail('the request could not be made');
    }
  }

  fail(reason: string, uncounted: NoCountReason = 'late'): void {
    if (!this.#over) this.#deps.log.debug({ reason, uncounted }, 'a token counter gave no answer');
    this.#finish(uncounted);
  }

  /** Cancels the count without a callback. Returns false if it was over already. */
  abandon(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#lease.end();
    this.#controller?.abort(new Error('the count is not needed any more'));
    return true;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) controller.abort(new Error('the count is not needed any more'));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    if (status !== 200 && status !== INVALID) this.fail(`status ${status}`, isTransient(status) ? 'late' : 'never');
    else if ((headers['content-encoding'] ?? 'identity') !== 'identity') this.fail('the answer is encoded', 'never');
    else if (status === INVALID) this.#refusal = clientHeaders(headers, false, false);
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#over) return;
    this.#bytes += piece.length;
    if (this.#bytes > ANSWER_BYTES_MAX) this.fail(`an answer of more than ${ANSWER_BYTES_MAX} bytes`, 'never');
    else this.#pieces.push(piece);
  }

  onResponseEnd(): void {
    this.#controller = null;
    this.#connection?.end();
    if (this.#over) return;
    if (this.#refusal) return this.#finish(new CountRefusal(INVALID, this.#refusal, Buffer.concat(this.#pieces)));
    const tokens = this.#read();
    if (tokens === null) this.fail('an answer without a count', 'never');
    else this.#finish(tokens);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#controller = null;
    this.#connection?.end();
    this.fail(error.message);
  }

  #read(): number | null {
    try {
      return this.request.counter.read(Buffer.concat(this.#pieces));
    } catch (error) {
      this.#deps.log.error({ err: error }, 'the answer of a token counter could not be read');
      return null;
    }
  }

  #finish(...result: Parameters<CountCallback>): void {
    if (this.abandon()) this.#done(...result);
  }
}

function isTransient(status: number): boolean {
  return TRANSIENT_STATUSES.includes(status) || (status > 499 && status !== NOT_IMPLEMENTED);
}
