import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import type { AddressRange } from '../domain/identity/address-range.ts';
import { request } from '../lib/http/node-http.ts';
import type { Log } from '../lib/log.ts';
import { BodyBudget, BodyLease } from './proxy/body-budget.ts';
import { callerAddress } from './proxy/caller-address.ts';
import type { ClientShare, ClientShares } from './proxy/client-shares.ts';
import { NO_PAGE_HEADERS } from './proxy/headers.ts';
import { readPlainBody } from './proxy/read-body.ts';

/** Wait before a connection to the ledger thread is tried again, while more wait for it than the system allows. */
const RETRY_MS = 50;
const TRIES_MAX = 40;

/** Headers of one connection only (RFC 9110 §7.6.1). A forwarded `close` would cut off an early answer to a body. */
const HOP_HEADERS = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade', 'http2-settings']);

const OWN_PREFIX = 'x-svc-';
/** The service's own headers that clients may set: their workspace and an invitation code. */
const CLIENT_OWN_HEADERS = new Set(['x-svc-workspace', 'x-svc-code']);

interface LedgerRelayDeps {
  readonly socketPath: string;
  readonly log: Log;
  /** Proxies whose `x-forwarded-for` is trusted. */
  readonly trustedProxies: readonly AddressRange[];
  readonly clients: Pick<ClientShares, 'find'>;
}

/**
 * Forwards requests that are not for the proxy to the ledger thread, over its socket. A body is read whole before that, out
 * of a memory that client addresses share: most of these requests have shown no secret yet.
 */
export class LedgerRelay {
  readonly #deps: LedgerRelayDeps;
  readonly #bodies = new BodyBudget({
    bodiesInMemoryBytesMax: LIMITS.apiBodiesBytesMax,
    bodyBytesPerSecondMin: LIMITS.bodyBytesPerSecondMin,
    bodyMsMax: LIMITS.apiBodyMsMax,
    holderName: 'client address',
  });
  /** Requests without a complete response. */
  #open = 0;
  /** Ends each open event stream. */
  readonly #streams = new Set<() => void>();

  constructor(deps: LedgerRelayDeps) {
    this.#deps = deps;
  }

  /** Bytes of bodies in memory. */
  get bodyBytes(): number {
    return this.#bodies.bytes;
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    try {
      const client = this.#deps.clients.find(req, res);
      const { managementBodies } = client;
      this.#take(client, res);
      if (!hasBody(req)) return this.#forward(req, res, undefined);
      const lease = new BodyLease(this.#bodies, managementBodies, null);
      readPlainBody(req, bodyBytesMax(req), lease, (error, body) => {
        if (error) return refuse(res, error);
        res.once('close', () => lease.end());
        this.#forward(req, res, body);
      });
    } catch (error) {
      if (!(error instanceof TollbookError)) throw error;
      refuse(res, error);
    }
  }

  /** Counts a request until its response closes. Throws if its address, or all together, have too many open. */
  #take(client: ClientShare, res: ServerResponse): void {
    const { relayedRequestsMax } = LIMITS;
    if (client.relayed >= relayedRequestsMax / 4 || this.#open >= relayedRequestsMax)
      throw new TollbookError(
        'in_flight',
        'Too many requests to the API and the dashboard are open. Wait until some have ended.',
        undefined,
        { retryAfter: 1 },
      );
    client.relayed += 1;
    this.#open += 1;
    res.once('close', () => {
      client.relayed -= 1;
      this.#open -= 1;
    });
  }

  /** Refuses bodies that take too long. Called about once a second. */
  sweep(uptime: number): void {
    this.#bodies.sweep(uptime);
  }

  #forward(req: IncomingMessage, res: ServerResponse, body: Buffer | undefined, tries = 1): void {
    const { socketPath } = this.#deps;
    const headers = this.#forwardedHeaders(req);
    const onward = request({ socketPath, path: req.url, method: req.method, headers }, (answer) => {
      for (const name of HOP_HEADERS) delete answer.headers[name];
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
      answer.on('error', () => res.destroy());
      if (answer.headers['content-type']?.startsWith('text/event-stream')) this.#keepOpen(answer, res);
    });
    const stop = (): void => void onward.destroy();
    onward.on('error', (error: NodeJS.ErrnoException) => {
      res.off('close', stop);
      // The answer is complete and only the rest of a refused body was not sent, or the client disconnected.
      if (res.writableEnded || res.destroyed) return;
      // Abandoned requests fill the queue for a moment. Nothing was sent.
      if (error.code === 'EAGAIN' && tries < TRIES_MAX)
        return void setTimeout(() => res.destroyed || this.#forward(req, res, body, tries + 1), RETRY_MS);
      this.#fail(res, error);
    });
    res.on('close', stop);
    onward.end(body);
  }

  #fail(res: ServerResponse, error: Error): void {
    this.#deps.log.error({ err: error }, 'the ledger thread could not be reached');
    if (res.headersSent) return void res.destroy();
    const sentence = 'The ledger is not answering. See the log of the service.';
    refuse(res, new TollbookError('unavailable', sentence, undefined, { retryAfter: 1 }));
  }

  #forwardedHeaders({ headers: sent, socket }: IncomingMessage): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = {};
    for (const name in sent) {
      const value = sent[name];
      const passes = name.startsWith(OWN_PREFIX) ? CLIENT_OWN_HEADERS.has(name) : !HOP_HEADERS.has(name);
      if (passes && value !== undefined) headers[name] = value;
    }
    const address = callerAddress(socket.remoteAddress, sent['x-forwarded-for'], this.#deps.trustedProxies);
    if (address !== null) headers['x-svc-client-address'] = address;
    return headers;
  }

  /** Ends open event streams in good order. */
  endStreams(): void {
    for (const end of this.#streams) end();
  }

  #keepOpen(answer: IncomingMessage, res: ServerResponse): void {
    // The first event may take long, and the client waits for the headers.
    res.flushHeaders();
    const end = (): void => {
      answer.unpipe(res);
      res.end();
    };
    this.#streams.add(end);
    res.on('close', () => this.#streams.delete(end));
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Paths of telemetry, whose bodies are larger. */
const TELEMETRY_PATH = /^(?:\/otlp)?\/v1\/(?:logs|traces|metrics)(?:\?|$)/;

/** Without a token or a session, a request can only be for a public endpoint. */
function bodyBytesMax({ headers, url = '' }: IncomingMessage): number {
  const mayHaveSecret = headers.authorization !== undefined || headers.cookie !== undefined;
  if (!mayHaveSecret) return LIMITS.publicBodyBytesMax;
  return TELEMETRY_PATH.test(url) ? LIMITS.telemetryBodyBytesMax : LIMITS.apiBodyBytesMax;
}

/** Answers a request that the ledger thread did not. */
function refuse(res: ServerResponse, { status, type, message, retryAfter, headers }: TollbookError): void {
  if (res.headersSent || res.destroyed) return void res.destroy();
  const requestId = `req_${randomUUID()}`;
  const body = Buffer.from(JSON.stringify({ error: message, type, requestId }));
  res.writeHead(status, {
    ...NO_PAGE_HEADERS,
    'content-type': 'application/json',
    'content-length': body.length,
    'x-request-id': requestId,
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...(headers.includes('close') && { connection: 'close' }),
  });
  res.end(body);
}
