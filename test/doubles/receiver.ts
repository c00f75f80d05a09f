import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message that reached a receiver. */
interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The same, for a body that is no text. */
  readonly bytes: Buffer;
}

/** Response of a receiver to a message. Default: 200 and `ok`. */
type Answer = (response: ServerResponse, received: Received) => void;

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Of the next message; then the default again. */
  next(answer: Answer): void;
  close(): Promise<void>;
}

/** Starts a receiver of webhooks and exports on loopback. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: Answer[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const bytes = Buffer.concat(pieces);
      const message = { path: request.url ?? '', headers: request.headers, body: bytes.toString(), bytes };
      received.push(message);
      const answer = answers.shift();
      if (answer) answer(response, message);
      else response.end('ok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    next: (answer) => void answers.push(answer),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
