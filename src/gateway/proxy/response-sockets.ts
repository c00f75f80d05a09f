import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { WebSocket, WebSocketServer } from 'ws';
import { LIMITS } from '../../config.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { SlotSet } from '../../lib/concurrency/slots.ts';
import type { Provider, SocketRoute } from '../../providers/provider.ts';
import type { ProxyAddress } from './address.ts';
import type { ClientShare, ClientShares } from './client-shares.ts';
import { denyUpstream } from './deny.ts';
import { clientHeaders, requestHeaders } from './headers.ts';
import { ResponseSocket, type SocketDeps } from './response-socket.ts';
import type { UpgradeResponse } from './upgrade-response.ts';
import type { ConnectionLease, UpstreamPools } from './upstream.ts';

export interface SocketsDeps extends SocketDeps {
  readonly clients: ClientShares;
  readonly upstreams: UpstreamPools;
}

/** A request for a socket, with the share of its client address. */
interface SharedRequest extends SocketRequest {
  readonly share: ClientShare;
}

/** A request for a socket. */
export interface SocketRequest {
  readonly id: string;
  readonly req: IncomingMessage;
  readonly res: UpgradeResponse;
  readonly address: ProxyAddress;
  readonly provider: Provider;
  readonly route: SocketRoute;
  readonly key: GatewayKey;
}

/** Largest refusal of a provider that is read. */
const REFUSAL_BYTES_MAX = 64 * 1024;

/** Opens WebSockets: first that to the provider, so that its refusal is answered like that of any request. */
export class ResponseSockets {
  readonly #deps: SocketsDeps;
  readonly #open = new SlotSet<ResponseSocket>();
  readonly #byKey = new Map<string, number>();
  readonly #answerHeaders = new WeakMap<IncomingMessage, IncomingHttpHeaders>();
  #server: WebSocketServer | null = null;
  #isLeaving = false;

  constructor(deps: SocketsDeps) {
    this.#deps = deps;
  }

  sweep(uptime: number): void {
    this.#open.each((socket) => socket.sweep(uptime));
  }

  /** Closes each socket as soon as it has no open call. */
  leave(): void {
    this.#isLeaving = true;
    this.#open.each((socket) => socket.leave());
  }

  terminate(): void {
    this.#open.each((socket) => socket.terminate());
  }

  /** Opens a socket. Throws its refusal; that of the provider is sent later. */
  open(request: SocketRequest): void {
    const { clients, loads, upstreams } = this.#deps;
    const { req, res, key, provider } = request;
    const opened = this.#byKey.get(key.id) ?? 0;
    if (opened >= LIMITS.socketsPerKeyMax) throw tooManySocketsError(key.name);
    const share = clients.find(req, res);
    const connection = upstreams.target(provider.url).lease(loads.get(key.id), share);
    if (connection instanceof TollbookError) throw connection;
    this.#byKey.set(key.id, opened + 1);
    res.once('close', () => {
      connection.end();
      this.#release(key.id);
    });
    void this.#connect({ ...request, share }, connection).catch((error: unknown) => this.#fail(request, error));
  }

  #release(keyId: string): void {
    const left = (this.#byKey.get(keyId) ?? 1) - 1;
    if (left > 0) this.#byKey.set(keyId, left);
    else this.#byKey.delete(keyId);
  }

  #fail({ id, res, provider }: SocketRequest, error: unknown): void {
    this.#deps.denier.refuseUnknown(res, provider, error, id);
  }

  async #connect(request: SharedRequest, connection: ConnectionLease): Promise<void> {
    // Loaded at the first socket: most services have none.
    const { WebSocket, WebSocketServer } = await import('ws');
    this.#server ??= this.#createServer(WebSocketServer);
    const { req, res, address, provider, route, key } = request;
    if (res.destroyed) return;
    const { origin, prefix } = this.#deps.upstreams.target(provider.url);
    const {
      'content-type': _type,
      'accept-encoding': _encoding,
      ...headers
    } = requestHeaders(req.headers, provider, key);
    const upstream = new WebSocket(`${origin.replace(/^http/, 'ws')}${prefix}${route.upstreamPath}${address.query}`, {
      headers,
      followRedirects: false,
      perMessageDeflate: false,
      handshakeTimeout: LIMITS.headersMsMax,
      maxPayload: LIMITS.socketAnswerBytesMax,
    });
    const leave = (): void => upstream.terminate();
    res.once('close', leave);
    let refused = false;
    upstream.once('upgrade', (answer) => this.#answerHeaders.set(req, answer.headers));
    upstream.once('unexpected-response', (sent: ClientRequest, answer: IncomingMessage) => {
      refused = true;
      relayRefusal(request, sent, answer);
    });
    upstream.on('error', (error) => {
      if (!refused && upstream.readyState !== WebSocket.OPEN && !res.headersSent) denyUnreachable(request, error);
    });
    upstream.once('open', () => {
      res.off('close', leave);
      this.#accept(request, upstream, connection);
    });
  }

  #createServer(Server: typeof WebSocketServer): WebSocketServer {
    const server = new Server({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: LIMITS.bodyBytesMax,
      handleProtocols: () => false,
    });
    server.on('headers', (lines: string[], req: IncomingMessage) => lines.push(...this.#readAnswerHeaders(req)));
    return server;
  }

  #readAnswerHeaders(req: IncomingMessage): string[] {
    const flat = clientHeaders(this.#answerHeaders.get(req) ?? {}, false, false);
    const lines: string[] = [];
    for (let at = 0; at + 1 < flat.length; at += 2) lines.push(`${String(flat[at])}: ${String(flat[at + 1])}`);
    return lines;
  }

  #accept(request: SharedRequest, upstream: WebSocket, lease: ConnectionLease): void {
    const { req, res, key } = request;
    const { loads, pace } = this.#deps;
    const connection = res.accept();
    const closed = (socket: ResponseSocket | null): void => {
      if (socket) this.#open.remove(socket);
      lease.end();
      res.leave();
    };
    let accepted = false;
    this.#server?.handleUpgrade(req, connection, res.head, (client) => {
      accepted = true;
      const socket = new ResponseSocket(this.#deps, { ...request, client, connection, upstream, closed });
      this.#open.add(socket);
      pace.sent(loads.get(key.id));
      if (this.#isLeaving) socket.leave();
    });
    if (accepted) return;
    upstream.terminate();
    closed(null);
  }
}

/** Forwards the provider's refusal of a socket. */
function relayRefusal({ id, res, provider }: SocketRequest, sent: ClientRequest, answer: IncomingMessage): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  answer.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= REFUSAL_BYTES_MAX) pieces.push(piece);
    else sent.destroy();
  });
  answer.once('close', () => {
    sent.destroy();
    if (res.destroyed || res.headersSent) return;
    if (!answer.complete) return denyUpstream(res, provider, 502, `${provider.name} refused the socket.`, id);
    const headers = clientHeaders(answer.headers, false, true);
    res.writeHead(answer.statusCode ?? 502, [...headers, 'x-svc-call-id', id]).end(Buffer.concat(pieces));
  });
}

function denyUnreachable({ id, res, provider }: SocketRequest, error: Error): void {
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  denyUpstream(res, provider, 502, `${provider.name} could not be reached (${code}). Nothing was sent.`, id);
}

function tooManySocketsError(name: string): TollbookError {
  return new TollbookError(
    'in_flight',
    `The wrapped key "${name}" has ${LIMITS.socketsPerKeyMax} WebSockets, as many as one key may have; close some, or use another key.`,
    undefined,
    { retryAfter: 1 },
  );
}
