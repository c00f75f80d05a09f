import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { Client, Dispatcher } from 'undici';
import { openClient } from './dispatchers.ts';
import { type AddressGuard, errorCodeText, findAddresses, type HostLookup, urlHost } from './guarded-lookup.ts';
import type { Scheduler } from '../clock.ts';

export interface ExchangeParts {
  readonly guard: AddressGuard;
  readonly lookup: HostLookup;
  readonly scheduler: Scheduler;
  readonly ca: string | undefined;
  readonly limits: SendLimits;
}

/** Current stage, used as the reason of an error. */
type ExchangeStage = 'dns' | 'connect' | 'tls' | 'reset';

/** One request and its answer, on a separate connection. */
export class GuardedExchange implements Dispatcher.DispatchHandler {
  readonly #url: URL;
  readonly #request: SendRequest;
  readonly #parts: ExchangeParts;
  readonly #done = Promise.withResolvers<SendResult>();
  #finished = false;
  #stage: ExchangeStage = 'dns';
  #client: Client | null = null;
  #socket: Socket | null = null;
  #status: number | null = null;
  #headers: ReceiverResponse['headers'] = {};
  #bytes = 0;
  readonly #kept: Buffer[] = [];

  constructor(url: URL, request: SendRequest, parts: ExchangeParts) {
    this.#url = url;
    this.#request = request;
    this.#parts = parts;
  }

  async run(): Promise<SendResult> {
    const { scheduler, limits } = this.#parts;
    const timers = [
      scheduler.later(() => this.#fail('timeout'), limits.totalMsMax),
      scheduler.later(() => {
        if (this.#stage !== 'reset') this.#fail('timeout');
      }, limits.connectMsMax),
    ];
    const { signal } = this.#request;
    const abort = (): void => this.#fail('timeout');
    signal?.addEventListener('abort', abort);
    try {
      if (signal?.aborted) abort();
      else this.#begin().catch(this.#done.reject);
      return await this.#done.promise;
    } finally {
      for (const stop of timers) stop();
      signal?.removeEventListener('abort', abort);
      this.#socket?.destroy();
      await this.#client?.destroy();
    }
  }

  onRequestStart(): void {
    this.#stage = 'reset';
  }

  onResponseStart(_controller: unknown, status: number, headers: ReceiverResponse['headers']): void {
    this.#status = status;
    const { 'set-cookie': _, ...shown } = headers;
    this.#headers = shown;
    if (status < 400 && status >= 300) this.#fail('redirect');
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    const { bodyBytesMax, keptBytesMax } = this.#parts.limits;
    const room = keptBytesMax - this.#bytes;
    // A copy: the piece is part of a larger buffer.
    if (room > 0) this.#kept.push(Buffer.from(chunk.subarray(0, room)));
    this.#bytes += chunk.length;
    if (this.#bytes >= bodyBytesMax) this.onResponseEnd();
  }

  onResponseEnd(): void {
    const bytes = Buffer.concat(this.#kept);
    const body = bytes.toString();
    if (this.#status !== null) this.#finish({ ok: true, status: this.#status, headers: this.#headers, body, bytes });
  }

  onResponseError(_controller: unknown, error: Error): void {
    const code = errorCodeText(error);
    if (code.includes('HEADERS_OVERFLOW')) this.#fail('too_large');
    else if (code.includes('INVALID_ARG')) this.#fail('unsendable');
    else if (error.name === 'HTTPParserError' && !error.message.includes('EOF')) this.#fail('malformed');
    else this.#fail(this.#stage, code);
  }

  async #begin(): Promise<void> {
    const { guard, lookup, limits } = this.#parts;
    const found = await findAddresses(this.#url, guard, lookup);
    if (!found.ok) return this.#finish({ ...found, status: null });
    if (this.#finished) return;
    this.#stage = 'connect';
    this.#client = openClient(this.#url.origin, {
      connect: (_options, done) => this.#connect(found.addresses, done),
      maxHeaderSize: limits.headerBytesMax,
      // Two timers of ours bound all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const { pathname, search } = this.#url;
    const { body, method = 'POST' } = this.#request;
    const headers = { 'accept-encoding': 'identity', ...this.#request.headers };
    this.#client.dispatch({ method, path: pathname + search, headers, body, reset: true }, this);
  }

  /** Connects to the checked addresses and no others, even if the name resolves differently by now. */
  #connect(addresses: readonly string[], done: (...args: [null, Socket] | [Error, null]) => void): void {
    // Never a second connection: the request may have been read on the first.
    if (this.#socket) return this.#fail('reset');
    const host = urlHost(this.#url);
    const secure = this.#url.protocol === 'https:';
    const to = {
      host,
      port: Number(this.#url.port || (secure ? 443 : 80)),
      lookup: alwaysTo(addresses),
      autoSelectFamily: true,
    };
    const { ca } = this.#parts;
    const trust = { rejectUnauthorized: true, ALPNProtocols: ['http/1.1'], ...(ca !== undefined && { ca }) };
    const socket = secure ? connectSecure({ ...to, ...trust, servername: isIP(host) === 0 ? host : '' }) : connect(to);
    this.#socket = socket;
    let ready = false;
    socket
      .setNoDelay(true)
      .once('connect', () => {
        if (secure) this.#stage = 'tls';
      })
      .once(secure ? 'secureConnect' : 'connect', () => {
        ready = true;
        done(null, socket);
      })
      .on('error', (error: Error) => {
        if (!ready) done(error, null);
      });
  }

  #fail(reason: SendFailureReason, code = ''): void {
    const message = failureSentence(reason, this.#url.host, code, this.#status, this.#parts.limits);
    this.#finish({ ok: false, reason, message, status: this.#status });
  }

  #finish(result: SendResult): void {
    this.#finished = true;
    this.#done.resolve(result);
  }
}

/** Answers every look-up of a socket with these, in both forms that sockets ask in. */
function alwaysTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, answer) => {
    const [first] = found;
    if (all || !first) answer(null, found);
    else answer(null, first.address, first.family);
  };
}

function failureSentence(
  reason: SendFailureReason,
  host: string,
  code: string,
  status: number | null,
  { totalMsMax, connectMsMax, headerBytesMax }: SendLimits,
): string {
  switch (reason) {
    case 'connect':
      return `${host} takes no connection${code}.`;
    case 'tls':
      return `${host} can't be trusted: the secure connection failed${code}.`;
    case 'timeout':
      return `${host} took too long: ${connectMsMax / 1_000} s to connect, ${totalMsMax / 1_000} s in all.`;
    case 'malformed':
      return `${host} did not answer in HTTP.`;
    case 'too_large':
      return `${host} sent headers of more than ${headerBytesMax} bytes.`;
    case 'redirect':
      return `${host} answered ${status ?? ''} and sends elsewhere; give the address where it leads.`;
    case 'unsendable':
      return 'The request has a header or a path that HTTP does not allow.';
    default:
      return `${host} closed the connection before its answer was complete${code}.`;
  }
}

/** One request. */
export interface SendRequest {
  readonly url: string;
  /** Without `host`, and what else is the connection's own. */
  readonly headers: Readonly<Record<string, string>>;
  /** Default: POST. */
  readonly method?: 'GET' | 'POST';
  readonly body: string | Uint8Array;
  /** Ends the request like its time does. Default: nothing does. */
  readonly signal?: AbortSignal;
}

/** `message` is a sentence that holds no part of the URL but its host and port. */
export type SendResult = ReceiverResponse | SendFailure;

/** A complete answer with any status except a redirection. */
export interface ReceiverResponse {
  readonly ok: true;
  readonly status: number;
  /** Names in lower case. No cookies: they are neither kept nor shown. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Its beginning, as it came: nothing is decompressed. */
  readonly body: string;
  /** The same, for a body that is no text. */
  readonly bytes: Uint8Array;
}

interface SendFailure {
  readonly ok: false;
  readonly reason: SendFailureReason;
  readonly message: string;
  /** Status, if an answer had started. */
  readonly status: number | null;
}

export type SendFailureReason =
  /** Nothing was sent: the address may not be reached. */
  | 'blocked'
  /** Nothing was sent: the name has no address. */
  | 'dns'
  /** Nothing was sent: the connection was refused. */
  | 'connect'
  /** Nothing was sent: no certificate to be trusted, or no TLS at all. */
  | 'tls'
  | 'timeout'
  /** The connection ended before the answer did. */
  | 'reset'
  /** The answer is not HTTP. */
  | 'malformed'
  /** The answer's headers do not end. */
  | 'too_large'
  /** 3xx; it is not followed. */
  | 'redirect'
  /** Nothing was sent: the request can't be written as HTTP. */
  | 'unsendable'
  /** Nothing was sent: too many are waiting. */
  | 'busy'
  /** Nothing was sent: the sender is closed. */
  | 'closed';

export interface SendLimits {
  /** Maximum time until a connection is made, including name lookup. */
  readonly connectMsMax: number;
  /** Maximum time from the start of the exchange to the last byte of the answer. */
  readonly totalMsMax: number;
  readonly headerBytesMax: number;
  /** Maximum bytes to wait for in the answer's body. */
  readonly bodyBytesMax: number;
  /** Maximum bytes of the answer's body that are returned. */
  readonly keptBytesMax: number;
  readonly underWayMax: number;
  readonly perHostMax: number;
  readonly waitingMax: number;
}
