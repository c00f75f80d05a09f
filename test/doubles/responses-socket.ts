import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { renderAnswer, renderProviderError, type SandboxRequest } from '../../src/demo/answers/answer.ts';
import type { Barrier } from './barrier.ts';
import { type Bill, charge } from './bill.ts';
import { factsOf, type Plan } from './plan.ts';
import type { SeenRequest } from './provider-double.ts';

/** What the double keeps of all calls. */
export interface SocketBooks {
  readonly requests: SeenRequest[];
  readonly plans: Plan[];
  readonly barrier: Barrier;
  readonly bill: Bill;
}

interface CreateMessage {
  readonly type?: string;
  readonly model?: string;
  readonly stream_id?: string;
  readonly metadata?: { readonly plan?: string };
}

/**
 * OpenAI's Responses over WebSocket: each `response.create` is on the bill. A plan comes in `metadata.plan`, or is the next of
 * the test. `endAfter` and `reset` end the socket without a word; `errorAfter` sends an error in place of the rest.
 */
export function serveResponsesSocket(server: Server, books: SocketBooks): void {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!/^\/openai\/v1\/responses(\?|$)/.test(req.url ?? '')) return void socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
    if (req.headers.authorization?.includes('invalid-key')) return refuseKey(socket);
    sockets.handleUpgrade(req, socket, head, (client) => new DoubleSocket(client, req, books));
  });
  server.once('close', () => {
    for (const client of sockets.clients) client.terminate();
  });
}

function refuseKey(socket: Duplex): void {
  const body = renderProviderError('openai', 401, 'The key is not valid.', '0');
  socket.end(
    `HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

class DoubleSocket {
  readonly #client: WebSocket;
  readonly #req: IncomingMessage;
  readonly #books: SocketBooks;
  /** Last response of each stream. */
  readonly #streams = new Map<string | undefined, Promise<void>>();

  constructor(client: WebSocket, req: IncomingMessage, books: SocketBooks) {
    this.#client = client;
    this.#req = req;
    this.#books = books;
    client.on('message', (data: Buffer) => this.#receive(data));
  }

  #receive(body: Buffer): void {
    const message = JSON.parse(body.toString()) as CreateMessage;
    const before = this.#streams.get(message.stream_id) ?? Promise.resolve();
    const seen = this.#see(body);
    this.#streams.set(
      message.stream_id,
      before.then(() => this.#answer(message, seen)),
    );
  }

  #see(body: Buffer): SeenRequest {
    const { requests } = this.#books;
    const { headers, rawHeaders } = this.#req;
    const seen: SeenRequest = {
      provider: 'openai',
      method: 'GET',
      path: (this.#req.url ?? '').slice('/openai'.length),
      headers,
      rawHeaders,
      body,
      id: String(requests.length + 1),
      aborted: false,
      over: false,
    };
    requests.push(seen);
    return seen;
  }

  async #answer(message: CreateMessage, seen: SeenRequest): Promise<void> {
    const { plans, barrier, bill } = this.#books;
    const own = message.metadata?.plan;
    const plan = own === undefined ? (plans.shift() ?? {}) : (JSON.parse(own) as Plan);
    const model = plan.model ?? message.model ?? '';
    const asked: SandboxRequest = {
      operation: 'responses',
      model,
      stream: true,
      array: false,
      includeUsage: true,
      base64: false,
    };
    const refused = plan.status !== undefined && plan.status >= 400;
    const charged = refused ? { nano: 0n, unsure: false } : charge('openai', asked, plan);
    const key = seen.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const row = { id: seen.id, provider: 'openai' as const, model, key, ...charged, delivered: false };
    bill.rows.push(row);
    await barrier.pass();
    const stream = message.stream_id === undefined ? {} : { stream_id: message.stream_id };
    if (refused) {
      const body = renderProviderError('openai', plan.status ?? 400, plan.message ?? 'The test asked for it.', seen.id);
      this.#send({ type: 'error', status: plan.status, ...stream, ...(JSON.parse(body) as object) });
    } else row.delivered = await this.#stream(asked, plan, seen.id, stream);
    seen.over = true;
  }

  /** Returns whether all of it was sent. */
  async #stream(asked: SandboxRequest, plan: Plan, id: string, stream: object): Promise<boolean> {
    const { pieces } = renderAnswer('openai', asked, factsOf(plan, 'openai', asked.model, id));
    const events = pieces.map((piece) => JSON.parse(piece.slice(piece.indexOf('data: ') + 6)) as object);
    const sent = plan.reset ? 0 : (plan.endAfter ?? plan.errorAfter ?? events.length);
    for (const event of events.slice(0, sent)) {
      this.#send({ ...event, ...stream });
      await setImmediate();
    }
    if (sent >= events.length) return this.#client.readyState === this.#client.OPEN;
    if (plan.errorAfter === undefined) this.#client.terminate();
    else this.#send({ type: 'error', ...stream, error: { code: 'server_error', message: 'Overloaded' } });
    return false;
  }

  #send(message: object): void {
    this.#client.send(JSON.stringify(message));
  }
}
