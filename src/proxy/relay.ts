import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from '../lib/http.ts';
import type { Log } from '../lib/log.ts';

/** What concerns only one connection (RFC 9110 §7.6.1). A `close` that went on would cut off an early answer to a body. */
const OF_ONE_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade', 'http2-settings']);

/** Hands requests that are not for the proxy to the book thread, byte for byte, over its socket. */
export class Relay {
  readonly #socketPath: string;
  readonly #log: Log;
  /** What ends each answer that would go on for as long as its client listens. */
  readonly #streams = new Set<() => void>();

  constructor(socketPath: string, log: Log) {
    this.#socketPath = socketPath;
    this.#log = log;
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    const headers: Record<string, string | string[] | undefined> = {};
    for (const name in req.headers)
      if (!name.startsWith('x-svc-') && !OF_ONE_CONNECTION.has(name)) headers[name] = req.headers[name];
    const onward = request({ socketPath: this.#socketPath, path: req.url, method: req.method, headers }, (answer) => {
      for (const name of OF_ONE_CONNECTION) delete answer.headers[name];
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
      answer.on('error', () => res.destroy());
      if (answer.headers['content-type']?.startsWith('text/event-stream')) this.#keep(answer, res);
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

  /** Ends, in good order, the answers that would not end by themselves. */
  endStreams(): void {
    for (const end of this.#streams) end();
  }

  #keep(answer: IncomingMessage, res: ServerResponse): void {
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
