import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from '../lib/http.ts';
import type { Log } from '../lib/log.ts';

/** What concerns only one connection (RFC 9110 §7.6.1). A `close` that went on would cut off an early answer to a body. */
const OF_ONE_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade', 'http2-settings']);

/** Hands a request that is not for the proxy to the book thread, byte for byte, over its socket. */
export function relay(socketPath: string, req: IncomingMessage, res: ServerResponse, log: Log): void {
  const headers: Record<string, string | string[] | undefined> = {};
  for (const name in req.headers)
    if (!name.startsWith('x-svc-') && !OF_ONE_CONNECTION.has(name)) headers[name] = req.headers[name];
  const onward = request({ socketPath, path: req.url, method: req.method, headers }, (answer) => {
    for (const name of OF_ONE_CONNECTION) delete answer.headers[name];
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
    answer.on('error', () => res.destroy());
  });
  onward.on('error', (error) => {
    // The whole answer is there, and only the rest of a body that it refused could not be handed over; or the client left.
    if (res.writableEnded || res.destroyed) return;
    log.error({ err: error }, 'the book thread could not be reached');
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
