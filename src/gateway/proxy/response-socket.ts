import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { WebSocket } from 'ws';
import { LIMITS } from '../../config.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import type { Clock, Uptime } from '../../lib/clock.ts';
import { NO_PLACE } from '../../lib/concurrency/slots.ts';
import type { InferenceRoute, MessageHead, Provider, SocketRoute } from '../../providers/provider.ts';
import type { ProxyAddress } from './address.ts';
import { type BodyBudget, BodyLease } from './body-budget.ts';
import type { ProxiedCalls } from './calls.ts';
import type { ClientShare } from './client-shares.ts';
import type { RequestDenier } from './deny.ts';
import { FrameResponse } from './frame-response.ts';
import type { KeyLoads } from './key-loads.ts';
import type { KeyRing } from './keys.ts';
import type { ProxyRequest } from './proxy-request.ts';
import type { RequestPace } from './request-pace.ts';
import { type OpenResponse, SentCall } from './sent-call.ts';

export interface SocketDeps {
  readonly calls: Pick<ProxiedCalls, 'countRequest' | 'requireOpen'>;
  readonly denier: RequestDenier;
  readonly keys: Pick<KeyRing, 'current'>;
  readonly loads: KeyLoads;
  readonly pace: RequestPace;
  readonly bodies: BodyBudget;
  readonly clock: Clock;
  readonly uptime: Uptime;
  readonly newCallId: () => string;
  /** Reads the body of a call and starts it. */
  readonly enter: (request: ProxyRequest, route: InferenceRoute, body: Buffer) => void;
}

/** An accepted socket of a client, with the socket to the provider that is its own. */
export interface SocketParts {
  readonly req: IncomingMessage;
  readonly address: ProxyAddress;
  readonly provider: Provider;
  readonly route: SocketRoute;
  readonly key: GatewayKey;
  readonly share: ClientShare;
  readonly client: WebSocket;
  /** Connection below `client`. */
  readonly connection: Socket;
  readonly upstream: WebSocket;
  /** Runs once, when both sockets have closed. */
  readonly closed: (socket: ResponseSocket) => void;
}

/** A message that begins a call and waits for its turn. */
interface WaitingMessage {
  readonly body: Buffer;
  readonly head: MessageHead;
  readonly lease: BodyLease;
}

const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;
const INTERNAL_ERROR = 1011;
/** Bytes of a client's ping or pong around its data. */
const CONTROL_BYTES = 6;
/** Bytes that may wait for a client that sends pings. One message to it may be as large. */
const UNREAD_BYTES_MAX = LIMITS.socketAnswerBytesMax;

/**
 * A WebSocket on which each message of the client that begins a response is a call: admitted, recorded and settled like any
 * other. A stream has one call at a time; further messages wait. The provider may keep earlier responses in the memory of
 * its socket, so both sockets end together.
 */
export class ResponseSocket {
  place = NO_PLACE;
  readonly #deps: SocketDeps;
  readonly #parts: SocketParts;
  readonly #open = new Map<string | null, OpenResponse>();
  readonly #sent = new Set<SentCall>();
  readonly #streams = new Set<string>();
  #waiting: WaitingMessage[] = [];
  /** Memory of a message that is still arriving. */
  #arriving: BodyLease;
  #arrivingBytes = 0;
  #paused = 0;
  #isLeaving = false;
  /** Uptime. */
  #idleSince: number;
  #heardAt: number;

  constructor(deps: SocketDeps, parts: SocketParts) {
    this.#deps = deps;
    this.#parts = parts;
    this.#arriving = this.#newLease();
    this.#idleSince = this.#heardAt = deps.uptime();
    const { client, upstream, connection } = parts;
    connection.prependListener('data', (chunk: Buffer) => this.#noteArriving(chunk.length));
    client.on('ping', (data: Buffer) => this.#noteControl(data));
    client.on('pong', (data: Buffer) => this.#noteControl(data));
    client.on('message', (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary));
    client.on('error', noteNothing);
    client.on('close', () => this.#clientLeft());
    upstream.on('message', (data: Buffer) => this.#pass(data));
    upstream.on('error', noteNothing);
    upstream.on('close', (code: number) => this.#upstreamLeft(code));
  }

  /** Ends a socket without use, and calls whose provider is silent. Called about once a second. */
  sweep(uptime: number): void {
    if (this.#isIdle && uptime - this.#idleSince >= LIMITS.socketIdleMsMax) this.#close(GOING_AWAY, 'idle');
    if (this.#sent.size === 0 || this.#paused > 0) return;
    if (uptime - this.#heardAt >= LIMITS.upstreamSilenceMsMax) this.#breakOff(new SilentSocket());
  }

  /** Closes as soon as no call is open: the service is closing. */
  leave(): void {
    this.#isLeaving = true;
    if (this.#open.size === 0) this.#close(GOING_AWAY, 'the service is closing');
  }

  /** Closes both connections immediately. */
  terminate(): void {
    this.#parts.client.terminate();
    this.#parts.upstream.terminate();
  }

  get #isIdle(): boolean {
    return this.#open.size === 0 && this.#waiting.length === 0;
  }

  get #isClientThere(): boolean {
    return this.#parts.client.readyState === OPEN;
  }

  get #isUpstreamThere(): boolean {
    return this.#parts.upstream.readyState === OPEN;
  }

  #newLease(): BodyLease {
    const { bodies, loads } = this.#deps;
    return new BodyLease(bodies, loads.get(this.#parts.key.id), this.#parts.share);
  }

  /** Counts bytes of a message before it is complete. Ends the socket if there is no memory for it. */
  #noteArriving(bytes: number): void {
    this.#arrivingBytes = Math.max(0, this.#arrivingBytes + bytes);
    const lease = this.#arriving;
    const more = this.#arrivingBytes - lease.bytes;
    const error = more > 0 ? lease.take(more) : null;
    if (error) return this.#outOfMemory();
    if (more < 0) lease.release(-more);
    if (lease.bytes > 0 && !lease.isWatched) lease.watch(() => this.#outOfMemory());
  }

  #outOfMemory(): void {
    this.#forgetArriving();
    this.#parts.client.close(TRY_AGAIN_LATER, 'no memory for this message, or it came too slowly');
    this.#parts.client.terminate();
  }

  #forgetArriving(): void {
    this.#arriving.end();
    this.#arriving = this.#newLease();
    this.#arrivingBytes = 0;
  }

  #receive(body: Buffer, isBinary: boolean): void {
    this.#forgetArriving();
    // A message that crossed our close frame is not sent: its answer could not be delivered.
    if (!this.#isClientThere) return;
    const head = isBinary ? NO_HEAD : this.#parts.route.readHead(body);
    const lease = this.#newLease();
    try {
      this.#requirePlace(head);
      const error = lease.take(body.length);
      if (error) throw error;
      this.#waiting.push({ body, head, lease });
    } catch (error) {
      lease.end();
      return this.#refuse(head.streamId, error);
    }
    this.#beginWaiting();
  }

  /** Throws if a message can't begin a call, or too many wait. */
  #requirePlace(head: MessageHead): void {
    const { route } = this.#parts;
    const reason = route.refuseMessage(head);
    if (reason !== null) throw new TollbookError('invalid', reason);
    const { streamId } = head;
    if (streamId !== null && !this.#streams.has(streamId)) {
      if (this.#streams.size >= route.streamsMax)
        throw new TollbookError(
          'invalid',
          `A socket may have ${route.streamsMax} streams. Open another one.`,
          'stream_id',
        );
      this.#streams.add(streamId);
    }
    if (this.#waiting.length >= LIMITS.socketMessagesWaitingMax)
      throw new TollbookError(
        'in_flight',
        `${LIMITS.socketMessagesWaitingMax} messages of this socket wait for earlier responses, as many as may wait.`,
        undefined,
        { retryAfter: 1 },
      );
  }

  /** Refuses a message that never becomes a call, in its turn. Reads nothing from the client until it has the refusal. */
  #refuse(streamId: string | null, error: unknown): void {
    const { denier, newCallId, pace, loads } = this.#deps;
    const { client, provider, key } = this.#parts;
    const response = this.#openResponse(streamId);
    client.pause();
    response.once('close', () => client.resume());
    pace.begin(loads.get(key.id), response, () => denier.refuseUnknown(response, provider, error, newCallId()));
  }

  /** Takes a ping or pong off the count of arriving bytes. Ends a client that sends many and reads no answers. */
  #noteControl({ length }: Buffer): void {
    this.#noteArriving(-length - CONTROL_BYTES);
    if (this.#parts.client.bufferedAmount > UNREAD_BYTES_MAX) this.#parts.client.terminate();
  }

  #openResponse(streamId: string | null): FrameResponse {
    const { client, route, provider } = this.#parts;
    const renderBreak = (): string =>
      route.renderError(provider.renderError({ ...BROKEN_OFF, callId: null }), streamId);
    return new FrameResponse({ client, route, streamId, renderBreak });
  }

  /** Begins the calls of waiting messages whose stream has no response. */
  #beginWaiting(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    for (const message of messages)
      if (this.#open.size < this.#parts.route.responsesMax && !this.#open.has(message.head.streamId))
        this.#begin(message);
      else this.#waiting.push(message);
  }

  #begin(message: WaitingMessage): void {
    const { calls, loads, pace, newCallId, denier } = this.#deps;
    const { provider, key } = this.#parts;
    const { lease } = message;
    const { streamId } = message.head;
    const id = newCallId();
    const open: OpenResponse = { streamId, response: this.#openResponse(streamId), isClosed: false, sent: null };
    const { response } = open;
    this.#open.set(streamId, open);
    response.once('close', () => {
      open.isClosed = true;
      this.#goOn(open);
    });
    try {
      calls.countRequest(key, response);
      pace.begin(loads.get(key.id), response, () => this.#enter(id, message, open));
    } catch (error) {
      lease.end();
      denier.refuseUnknown(response, provider, error, id);
    }
  }

  #enter(id: string, { body, head, lease }: WaitingMessage, open: OpenResponse): void {
    const { denier, enter, keys, clock } = this.#deps;
    const { req, address, provider, route, share } = this.#parts;
    const link = { dispatch: this.#dispatch.bind(this, open) };
    try {
      const key = keys.current(this.#parts.key, clock());
      // The provider knows this socket by the key it was opened with.
      if (key.providerKey !== this.#parts.key.providerKey) throw replacedKeyError();
      const headers = { ...req.headers, ...head.headers };
      const { socket, method } = req;
      enter(
        {
          id,
          req: { headers, socket, method },
          res: open.response,
          address,
          provider,
          key,
          client: share,
          lease,
          link,
        },
        route.call,
        body,
      );
    } catch (error) {
      lease.end();
      denier.refuseUnknown(open.response, provider, error, id);
    }
  }

  /** Begins the next call of a stream if its last response is over. */
  #goOn(open: OpenResponse): void {
    if (!open.isClosed || open.sent) return;
    this.#open.delete(open.streamId);
    this.#idleSince = this.#deps.uptime();
    if (this.#isLeaving) this.leave();
    else if (!this.#isUpstreamThere) this.#closeAfterUpstream(INTERNAL_ERROR);
    else if (this.#isClientThere) this.#beginWaiting();
  }

  #dispatch(open: OpenResponse, options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const call: SentCall = new SentCall(open, handler, {
      abort: (reason) => this.#abort(call, reason),
      pause: () => this.#pause(1),
      resume: () => this.#pause(-1),
    });
    // Without a start, the call counts as not sent.
    if (!this.#isUpstreamThere) {
      call.fail(new Error('the socket to the provider is closed'));
      return true;
    }
    open.sent = call;
    this.#sent.add(call);
    this.#heardAt = this.#deps.uptime();
    handler.onRequestStart?.(call, null);
    if (call.aborted) return true;
    const { body } = options;
    if (!(body instanceof Uint8Array)) throw new TypeError('A message of a socket is bytes.');
    this.#parts.upstream.send(body, { binary: false }, (error) => {
      if (!error) handler.onRequestSent?.();
    });
    return true;
  }

  /** Forwards a message of the provider to the call of its stream. */
  #pass(message: Buffer): void {
    const { route, client } = this.#parts;
    this.#heardAt = this.#deps.uptime();
    const head = route.readHead(message);
    const open = this.#findOpen(head);
    const call = open?.sent;
    if (!open || !call) {
      if (this.#isClientThere) client.send(message, { binary: false });
      return;
    }
    call.receive(head, message);
    if (!route.endsResponse(head) || call.aborted) return;
    this.#forget(call);
    call.end();
    this.#goOn(open);
    this.#closeIfAlone();
  }

  /** Finds the response that a message belongs to. An error without a stream belongs to the only one that is open. */
  #findOpen({ streamId, type }: MessageHead): OpenResponse | undefined {
    const open = this.#open.get(streamId);
    if (open || streamId !== null || type !== 'error' || this.#open.size !== 1) return open;
    return [...this.#open.values()][0];
  }

  #pause(change: 1 | -1): void {
    const wasPaused = this.#paused > 0;
    this.#paused += change;
    const isPaused = this.#paused > 0;
    if (isPaused === wasPaused) return;
    this.#heardAt = this.#deps.uptime();
    if (isPaused) this.#parts.upstream.pause();
    else this.#parts.upstream.resume();
  }

  #forget(call: SentCall): void {
    this.#sent.delete(call);
    call.open.sent = null;
    call.resume();
  }

  #fail(call: SentCall, reason: Error): void {
    this.#forget(call);
    call.fail(reason);
    this.#goOn(call.open);
  }

  /** Breaks off a call. Nothing but the end of the socket stops a response, so its other calls end too. */
  #abort(call: SentCall, reason: Error): void {
    if (!this.#sent.has(call)) return;
    this.#parts.upstream.terminate();
    this.#fail(call, reason);
  }

  #breakOff(reason: Error): void {
    this.#parts.upstream.terminate();
    for (const call of this.#sent) this.#fail(call, reason);
  }

  #upstreamLeft(code: number): void {
    this.#breakOff(new Error(`the provider closed the socket (${code})`));
    this.#closeAfterUpstream(isForwardable(code) ? code : INTERNAL_ERROR);
    this.#closeIfAlone();
  }

  /** Closes the client's socket once all its responses have ended. */
  #closeAfterUpstream(code: number): void {
    this.#dropWaiting();
    if (this.#open.size === 0) this.#close(code, 'the provider closed the socket');
  }

  #clientLeft(): void {
    this.#forgetArriving();
    this.#dropWaiting();
    for (const { response } of this.#open.values()) response.leave();
    this.#closeIfAlone();
  }

  #dropWaiting(): void {
    for (const { lease } of this.#waiting) lease.end();
    this.#waiting = [];
  }

  /** Closes the provider's socket when the client has disconnected and no call is read. */
  #closeIfAlone(): void {
    const { client, upstream, closed } = this.#parts;
    if (client.readyState !== CLOSED || this.#sent.size > 0) return;
    upstream.terminate();
    closed(this);
  }

  #close(code: number, reason: string): void {
    this.#parts.client.close(code, reason);
  }
}

/** A provider that sent nothing for too long, with the code of such an HTTP answer. */
class SilentSocket extends Error {
  readonly code = 'UND_ERR_BODY_TIMEOUT';
}

const OPEN = 1;
const CLOSED = 3;
const NO_HEAD: MessageHead = { type: null, streamId: null, status: null, headers: {} };
const BROKEN_OFF = {
  status: 502,
  type: 'upstream_unreachable',
  message: 'The response broke off before its end; it may have been charged.',
} as const;

function replacedKeyError(): TollbookError {
  return new TollbookError(
    'unavailable',
    'The provider key behind this wrapped key was replaced. Open another socket.',
  );
}

/** Reports a code that an endpoint may send (RFC 6455 §7.4). */
function isForwardable(code: number): boolean {
  return (code >= 3_000 && code <= 4_999) || (code >= 1_000 && code <= 1_003) || (code >= 1_007 && code <= 1_014);
}

function noteNothing(): void {}
