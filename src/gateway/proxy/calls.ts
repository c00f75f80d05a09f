import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { AddressRange } from '../../domain/identity/address-range.ts';
import type { Alert } from '../../domain/alerts/alert.ts';
import type { CallEnd } from '../../domain/usage/call.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { readTags, type TagReading } from '../../domain/usage/tags.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Clock } from '../../lib/clock.ts';
import { SlotSet } from '../../lib/concurrency/slots.ts';
import type { InferenceRoute, Provider, RequestFacts, BodySplice } from '../../providers/provider.ts';
import type { ProxyAddress } from './address.ts';
import { type AdmissionDeps, CallAdmission } from './admission.ts';
import { AdmissionAttempt, type AdmissionRequest, type AdmittedCall } from './attempt.ts';
import { type CallDeps, type CallLimits, ProxiedCall } from './call.ts';
import { callerAddress } from './caller-address.ts';
import type { ClientShare } from './client-shares.ts';
import { deny } from './deny.ts';
import { requestHeaders } from './headers.ts';
import type { KeyLoad } from './key-loads.ts';
import type { KeyRing } from './keys.ts';
import { RateWatch } from './rate-watch.ts';
import { hashAssistantSession } from './assistant-session.ts';
import type { ConnectionLease, UpstreamPools } from './upstream.ts';

/** The body with its few edits made; the body itself when there are none. */
export function applySplices(body: Uint8Array, splices: readonly BodySplice[]): Uint8Array {
  if (splices.length === 0) return body;
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, text } of splices) {
    parts.push(body.subarray(from, start), Buffer.from(text));
    from = end;
  }
  parts.push(body.subarray(from));
  return Buffer.concat(parts);
}

export interface CallsDeps extends AdmissionDeps {
  readonly keys: KeyRing;
  readonly journal: Journal;
  readonly upstreams: UpstreamPools;
  readonly limits: CallLimits & { readonly callsInFlightMax: number; readonly callsPerKeyMax: number };
  readonly clock: Clock;
  readonly baggageTags: boolean;
  /** Whose word on where a call comes from is believed. */
  readonly trustedProxies: readonly AddressRange[];
  /** Told once per call after its end is in the journal, however late it came there. */
  readonly ended: (call: ProxiedCall, end: CallEnd) => void;
  /** Told when a call leaves: seconds since its body was there, or since it need not wait any more. */
  readonly departed: (provider: string, seconds: number) => void;
  /** Told of what should be known soon. */
  readonly raise: (alert: Alert) => void;
}

/** One request on its way through the gate. */
export interface ProxyRequest {
  readonly id: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly address: ProxyAddress;
  readonly provider: Provider;
  readonly key: GatewayKey;
  /** Where it comes from, and what that address holds. */
  readonly client: ClientShare;
}

/** A request whose body was read, and how. */
export interface ParsedRequest {
  readonly request: ProxyRequest;
  readonly route: InferenceRoute;
  readonly facts: RequestFacts;
  readonly body: Buffer;
  /** When its body was there, or its wait was over: from here on it is the gate's own time, on the clock that only goes forward. */
  readonly readyAt: number;
  /** The body is not needed any more. */
  readonly releaseBody: () => void;
}

/** Says why a call can't go, in its provider's shape. */
type RefuseRequest = (request: ProxyRequest, error: unknown) => void;

/** Calls from their admission to their end. */
export class ProxiedCalls {
  readonly #deps: CallsDeps;
  readonly #refuse: RefuseRequest;
  readonly #callDeps: CallDeps;
  readonly #admission: CallAdmission;
  readonly #inFlight = new SlotSet<ProxiedCall>();
  /** Ended calls whose end the journal could not take yet: what they hold stays held. */
  #unsettled: { readonly call: ProxiedCall; readonly end: CallEnd }[] = [];
  #closing = false;

  constructor(deps: CallsDeps, refuse: RefuseRequest) {
    this.#deps = deps;
    this.#refuse = refuse;
    this.#admission = new CallAdmission(deps);
    this.#callDeps = {
      journal: deps.journal,
      engine: deps.engine,
      now: deps.now,
      uptime: deps.uptime,
      limits: deps.limits,
      log: deps.log,
      rates: new RateWatch(deps.raise),
      ended: (call, end, failure) => {
        this.#leave(call);
        if (failure) this.#unsettled.push({ call, end });
        else this.#settle(call, end);
      },
    };
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** From now on calls are refused; those under way go on. */
  stopAdmitting(): void {
    this.#closing = true;
  }

  /** Throws once the door is closed. */
  requireOpen(): void {
    if (this.#closing) throw new TollbookError('unavailable', 'The service is closing; try again in a moment.');
  }

  /** Ends calls that have gone on for too long; called about once a second. */
  sweep(): void {
    const uptime = this.#deps.uptime();
    this.#inFlight.each((call) => call.sweep(uptime));
    if (this.#unsettled.length > 0 && this.#deps.journal.problem === null) this.#settleLate();
  }

  /** Breaks off what is still under way. Each such call is booked with its cost unknown. */
  abortAll(): void {
    this.#inFlight.each((call) => call.abort('reset'));
  }

  /** Takes a call whose body was read. Throws the refusal of one that can't go; one that waits is refused later. */
  enter(parsed: ParsedRequest): void {
    this.#requireRoom();
    const current = this.#withCurrentKey(parsed);
    this.requireShare(current.request.key);
    const { request, facts, body } = current;
    const { req, res, provider, key } = request;
    const tags = readTags(req.headers, key.tags, { baggage: this.#deps.baggageTags });
    for (const warning of tags.warnings) res.appendHeader('x-svc-warning', warning);
    const entrant: AdmissionRequest = {
      key,
      provider,
      facts,
      body,
      tags: tags.tags,
      tagWarnings: tags.warnings,
      address: callerAddress(req.socket.remoteAddress, req.headers['x-forwarded-for'], this.#deps.trustedProxies),
      upstream: () => ({
        target: this.#deps.upstreams.target(provider.url),
        headers: requestHeaders(req.headers, provider, key.providerKey),
        client: request.client,
      }),
    };
    const outcome = this.#admission.admit(entrant, (error, admitted) =>
      this.#admittedLater(current, tags, error, admitted),
    );
    if (outcome instanceof AdmissionAttempt) this.#await(current, outcome);
    else this.#start(current, tags, outcome);
  }

  #requireRoom(): void {
    const { limits, journal } = this.#deps;
    if (this.#inFlight.size >= limits.callsInFlightMax)
      throw new TollbookError(
        'unavailable',
        `${limits.callsInFlightMax} calls are under way, as many as the gate takes; try again in a moment.`,
      );
    if (journal.problem !== null) throw cannotRecord(journal.problem);
  }

  /** Throws if the key has as many open calls as one key may have; else returns its load. */
  requireShare({ id, name }: GatewayKey): KeyLoad {
    const { limits, loads } = this.#deps;
    const load = loads.get(id);
    if (load.calls < limits.callsPerKeyMax) return load;
    throw new TollbookError(
      'in_flight',
      `The wrapped key "${name}" has ${load.calls} open calls, as many as one key may have; wait until some have ended, use another key, or set SVC_CALLS_PER_KEY higher.`,
      undefined,
      { retryAfter: 1 },
    );
  }

  /** Whoever leaves while the call waits is owed nothing. */
  #await({ request, releaseBody }: ParsedRequest, attempt: AdmissionAttempt): void {
    request.res.once('close', () => {
      attempt.leave();
      releaseBody();
    });
  }

  #admittedLater(parsed: ParsedRequest, tags: TagReading, error: unknown, admitted: AdmittedCall | null): void {
    try {
      if (!admitted) throw error;
      this.#startLate(parsed, tags, admitted);
    } catch (failure) {
      parsed.releaseBody();
      this.#refuse(parsed.request, failure);
    }
  }

  #startLate(parsed: ParsedRequest, tags: TagReading, admitted: AdmittedCall): void {
    let current: ParsedRequest;
    try {
      this.requireOpen();
      this.#requireRoom();
      current = { ...this.#withCurrentKey(parsed), readyAt: this.#deps.uptime() };
      this.requireShare(current.request.key);
    } catch (failure) {
      this.#deps.engine.release(admitted.hold, this.#deps.now());
      throw failure;
    }
    this.#start(current, tags, admitted);
  }

  /** A body may take minutes to arrive, and a call may wait: a key revoked meanwhile is revoked for this call. */
  #withCurrentKey(parsed: ParsedRequest): ParsedRequest {
    const { request } = parsed;
    const key = this.#deps.keys.current(request.key, this.#deps.clock());
    return key === request.key ? parsed : { ...parsed, request: { ...request, key } };
  }

  #start(parsed: ParsedRequest, { tags }: TagReading, admitted: AdmittedCall): void {
    const { request, facts, body, readyAt } = parsed;
    const { uptime, departed } = this.#deps;
    let call: ProxiedCall | null = null;
    let connection: ConnectionLease | null = null;
    try {
      connection = this.#leaseConnection(request);
      const opened = this.#open(parsed, tags, admitted, connection);
      call = opened;
      this.#join(opened);
      const sent = applySplices(body, admitted.splices);
      opened.begin((failure) => {
        if (failure) {
          this.#forget(opened, admitted);
          opened.parts.connection.end();
          return this.#refuse(request, cannotRecord(failure.message));
        }
        if (this.#send(request, opened, facts, sent)) departed(request.provider.id, (uptime() - readyAt) / 1_000);
      });
    } catch (error) {
      connection?.end();
      this.#forget(call, admitted);
      throw error;
    }
  }

  /** The call never was. */
  #forget(call: ProxiedCall | null, { hold }: AdmittedCall): void {
    if (call) this.#leave(call);
    this.#deps.engine.release(hold, this.#deps.now());
  }

  #leaseConnection({ provider, key, client }: ProxyRequest): ConnectionLease {
    const { upstreams, loads } = this.#deps;
    const connection = upstreams.target(provider.url).lease(loads.get(key.id), client);
    if (connection instanceof TollbookError) throw connection;
    return connection;
  }

  #join(call: ProxiedCall): void {
    this.#inFlight.add(call);
    this.#deps.loads.get(call.parts.begin.keyId).calls += 1;
  }

  /** Nothing happens when it has left before. */
  #leave(call: ProxiedCall): void {
    if (!this.#inFlight.has(call)) return;
    this.#inFlight.remove(call);
    this.#deps.loads.get(call.parts.begin.keyId).calls -= 1;
  }

  #open(
    { request, route, facts, body, releaseBody }: ParsedRequest,
    tags: TagReading['tags'],
    admitted: AdmittedCall,
    connection: ConnectionLease,
  ): ProxiedCall {
    const { prices } = this.#deps;
    const { id, req, res, provider, key } = request;
    const { hold, clampedTo } = admitted;
    const begin = {
      callId: id,
      workspaceId: key.workspaceId,
      keyId: key.id,
      provider: provider.id,
      operation: route.operation,
      requestedModel: facts.model,
      stream: facts.stream,
      tags,
      sessionHash: hashAssistantSession(req.headers),
      startedAt: hold.startedAt,
      hold: hold.need,
      touched: hold.counterRefs(),
    };
    return new ProxiedCall(this.#callDeps, {
      begin,
      hold,
      clampedTo,
      drains: key.policy.onDisconnect === 'drain',
      provider,
      facts,
      bodyBytes: body.length,
      bodySent: releaseBody,
      res,
      connection,
      resolve: (model) => prices.resolve(begin.workspaceId, provider.priceProvider, model, begin.startedAt),
      deny: (status, message) =>
        deny(
          res,
          provider,
          { status, type: status === 504 ? 'upstream_timeout' : 'upstream_unreachable', message },
          id,
        ),
    });
  }

  /** The journal took what it could not take before. */
  #settleLate(): void {
    const late = this.#unsettled;
    this.#unsettled = [];
    for (const { call, end } of late) this.#settle(call, end);
  }

  /** Its end is in the journal. */
  #settle(call: ProxiedCall, end: CallEnd): void {
    this.#deps.engine.settle(call.parts.hold, end, this.#deps.now());
    this.#deps.ended(call, end);
  }

  #send(request: ProxyRequest, call: ProxiedCall, facts: RequestFacts, sent: Uint8Array): boolean {
    const { address, provider } = request;
    const target = this.#deps.upstreams.target(provider.url);
    const headers = requestHeaders(request.req.headers, provider, request.key.providerKey);
    const large = sent.length > KEPT_BODY_BYTES_MAX;
    if (large) headers['content-length'] = String(sent.length);
    return call.dispatch(target.pool, {
      origin: target.origin,
      path: target.prefix + facts.upstreamPath + address.query,
      method: 'POST',
      headers,
      body: large ? Readable.from(passing(sent)) : sent,
    });
  }
}

/** The HTTP client keeps a body that is given as bytes until the answer ends. A larger one is given as a stream, and freed once sent. */
const KEPT_BODY_BYTES_MAX = 16 * 1024;

function* passing(body: Uint8Array): Generator<Uint8Array> {
  yield body;
}

function cannotRecord(reason: string): TollbookError {
  return new TollbookError('unavailable', `The call can't be booked, so it was not sent: ${reason}`);
}
