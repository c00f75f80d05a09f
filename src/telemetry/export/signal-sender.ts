import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { ExportSignal } from '../../domain/telemetry/export-counts.ts';
import type { ExportTarget } from '../../domain/telemetry/export-settings.ts';
import type { Scheduler } from '../../lib/clock.ts';
import type { ReceiverResponse, SendRequest, SendResult } from '../../lib/http/guarded-exchange.ts';
import type { GuardedSender } from '../../lib/http/guarded-sender.ts';
import { asMembers } from '../../lib/json/values.ts';
import { REQUEST_FORMS, toProtobuf } from './message.ts';

/** Items of one request that the receiver took and refused, or why it has none of them. */
export type ExportDelivery =
  | { readonly ok: true; readonly rejected: number }
  | { readonly ok: false; readonly reason: 'rejected' | 'unreachable'; readonly message: string };

export interface SignalSenderOptions {
  readonly signal: ExportSignal;
  readonly target: ExportTarget;
  readonly sender: Pick<GuardedSender, 'send'>;
  readonly scheduler: Scheduler;
}

const ATTEMPTS_MAX = 5;
/** First wait before another attempt; doubled each time. */
const RETRY_MS = 1_000;
/** Longest wait that a receiver may ask for. */
const RETRY_MS_MAX = 30_000;
/** Statuses after which the protocol sends the same request again. */
const RETRIED = new Set([429, 502, 503, 504]);
/** Failures that another attempt does not change. */
const FINAL_FAILURES = new Set(['blocked', 'redirect', 'unsendable', 'closed']);
const TYPES = { 'http/protobuf': 'application/x-protobuf', 'http/json': 'application/json' } as const;
const zip = promisify(gzip);

/** Sends requests of one signal to its receiver, and repeats them a few times. */
export class SignalSender {
  readonly #options: SignalSenderOptions;
  readonly #abort = new AbortController();
  #isClosing = false;
  #endWait: (() => void) | null = null;

  constructor(options: SignalSenderOptions) {
    this.#options = options;
  }

  /** Never rejects for what happens on the network. */
  async deliver(message: object): Promise<ExportDelivery> {
    const request = await this.#write(message);
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#options.sender.send(request);
      const isTaken = result.ok && result.status < 300;
      if (isTaken) return { ok: true, rejected: this.#readRejected(result) };
      if (!isWorthRetrying(result)) return { ok: false, reason: 'rejected', message: failureText(result) };
      if (attempt === ATTEMPTS_MAX || this.#isClosing)
        return { ok: false, reason: 'unreachable', message: failureText(result) };
      await this.#wait(retryMs(result, attempt));
    }
  }

  /** Ends waits; requests are sent once from now on. */
  close(): void {
    this.#isClosing = true;
    this.#endWait?.();
  }

  /** Ends the open request. */
  abort(): void {
    this.#abort.abort();
  }

  async #write(message: object): Promise<SendRequest> {
    const { signal, target } = this.#options;
    const isProtobuf = target.protocol === 'http/protobuf';
    const bytes = isProtobuf ? toProtobuf(REQUEST_FORMS[signal], message) : Buffer.from(JSON.stringify(message));
    const isZipped = target.compression === 'gzip';
    const headers: Record<string, string> = { ...target.headers, 'content-type': TYPES[target.protocol] };
    if (isZipped) headers['content-encoding'] = 'gzip';
    return { url: target.url, headers, body: isZipped ? await zip(bytes) : bytes, signal: this.#abort.signal };
  }

  #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.scheduler.later(resolve, ms);
    this.#endWait = () => {
      cancel();
      resolve();
    };
    return promise;
  }

  #readRejected({ bytes }: ReceiverResponse): number {
    try {
      return this.#options.target.protocol === 'http/json' ? rejectedOfJson(bytes) : rejectedOfProtobuf(bytes);
    } catch {
      // Some receivers answer with a text of their own.
      return 0;
    }
  }
}

function isWorthRetrying(result: SendResult): boolean {
  return result.ok ? RETRIED.has(result.status) : !FINAL_FAILURES.has(result.reason);
}

function failureText(result: SendResult): string {
  return result.ok ? `The receiver answered ${result.status}.` : result.message;
}

function retryMs(result: SendResult, attempt: number): number {
  const asked = result.ok ? Number(result.headers['retry-after']) * 1_000 : Number.NaN;
  const ms = asked > 0 ? asked : RETRY_MS * 2 ** (attempt - 1);
  return Math.min(ms, RETRY_MS_MAX);
}

function rejectedOfJson(bytes: Uint8Array): number {
  if (bytes.length === 0) return 0;
  const { partialSuccess } = asMembers(JSON.parse(Buffer.from(bytes).toString()));
  const { rejectedSpans, rejectedDataPoints } = asMembers(partialSuccess);
  const rejected = Number(rejectedSpans ?? rejectedDataPoints ?? 0);
  return rejected > 0 ? rejected : 0;
}

/** Reads the count of the partial success, the first field of the first field of every response. */
function rejectedOfProtobuf(bytes: Uint8Array): number {
  const reader = new BinaryReader(bytes);
  if (bytes.length === 0 || reader.tag()[0] !== 1) return 0;
  reader.uint32();
  return reader.tag()[0] === 1 ? Math.max(0, Number(reader.int64())) : 0;
}
