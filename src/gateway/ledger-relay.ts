import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressRange } from '../domain/identity/address-range.ts';
import { request } from '../lib/http/node-http.ts';
import type { Log } from '../lib/log.ts';
import { callerAddress } from './proxy/caller-address.ts';

/** What concerns only one connection (RFC 9110 §7.6.1). A `close` that went on would cut off an early answer to a body. */
const HOP_HEADERS = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade', 'http2-settings']);

const OWN_PREFIX = 'x-svc-';
/** Of our own headers the only ones that a client has a say in: its workspace, and the code of an invitation. */
const CLIENT_OWN_HEADERS = new Set(['x-svc-workspace', 'x-svc-code']);

/** Hands requests that are not for the proxy to the book thread, byte for byte, over its socket. */
export class LedgerRelay {
  readonly #socketPath: string;
  readonly #log: Log;
  readonly #trustedProxies: readonly AddressRange[];
  /** What ends each answer that would go on for as long as its client listens. */
  readonly #streams = new Set<() => void>();

  /** @param trustedProxies whose word on where a request comes from is believed */
  constructor(socketPath: string, log: Log, trustedProxies: readonly AddressRange[]) {
    this.#socketPath = socketPath;
    this.#log = log;
    this.#trustedProxies = trustedProxies;
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    const headers = this.#forwardedHeaders(req);
    const onward = request({ socketPath: this.#socketPath, path: req.url, method: req.method, headers }, (answer) => {
      for (const name of HOP_HEADERS) delete answer.headers[name];
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
      answer.on('error', () => res.destroy());
      if (answer.headers['content-type']?.startsWith('text/event-stream')) this.#keepOpen(answer, res);
    });
    onward.on('error', (error) => {
      // The whole answer is there, and only the rest of a body that it refused could not be handed over; or the client left.
      if (res.writableEnded || res.destroyed) return;
      this.#log.error({ err: error }, 'the book thread could not be reached');
      if (res.headersSent) return void res.destroy();
      const body = JSON.stringify({
        error: 'The book is not answering; the log of the service tells why.',
        type: 'unavailable',
      });
      res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end(body);
    });
    res.on('close', () => onward.destroy());
    req.pipe(onward);
  }

  #forwardedHeaders({ headers: sent, socket }: IncomingMessage): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = {};
    for (const name in sent) {
      const value = sent[name];
      const passes = name.startsWith(OWN_PREFIX) ? CLIENT_OWN_HEADERS.has(name) : !HOP_HEADERS.has(name);
      if (passes && value !== undefined) headers[name] = value;
    }
    const address = callerAddress(socket.remoteAddress, sent['x-forwarded-for'], this.#trustedProxies);
    if (address !== null) headers['x-svc-client-address'] = address;
    return headers;
  }

  /** Ends, in good order, the answers that would not end by themselves. */
  endStreams(): void {
    for (const end of this.#streams) end();
  }

  #keepOpen(answer: IncomingMessage, res: ServerResponse): void {
    // Its first piece may be long in coming, and its client waits for the headers.
    res.flushHeaders();
    const end = (): void => {
      answer.unpipe(res);
      res.end();
    };
    this.#streams.add(end);
    res.on('close', () => this.#streams.delete(end));
  }
}
