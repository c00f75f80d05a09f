import { Readable } from 'node:stream';
import type { AddressRange } from '../../domain/identity/address-range.ts';
import type { CallBegin, CallEnd, CallOutcome, OpenWork } from '../../domain/usage/call.ts';
import { LIMITS } from '../../config.ts';
import { TollbookError } from '../../domain/errors.ts';
import { SECRET_PREFIX } from '../../domain/identity/secret.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { readTags } from '../../domain/usage/tags.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Clock, Uptime } from '../../lib/clock.ts';
import { SlotSet } from '../../lib/concurrency/slots.ts';
import type { Log } from '../../lib/log.ts';
import type { LimitsEngine } from '../../limits/limits.ts';
import { LimitRefusedError } from '../../limits/refusal-errors.ts';
import type { PriceBook } from '../../prices/price-book.ts';
import type { BodySplice } from '../../providers/provider.ts';
import type { CallAdmission } from './admission.ts';
import { AdmissionAttempt, type AdmittedCall } from './attempt.ts';
import type { BatchBounds } from './batch-bounds.ts';
import { type CallDeps, type CallLimits, ProxiedCall } from './call.ts';
import { readCallContext } from './call-context.ts';
import { callerAddress } from './caller-address.ts';
import type { ClientResponse } from './client-response.ts';
import type { RequestDenier } from './deny.ts';
import { requestHeaders } from './headers.ts';
import type { KeyLoad, KeyLoads } from './key-loads.ts';
import type { KeyRing } from './keys.ts';
import type { InferenceRequest, ProxyRequest } from './proxy-request.ts';
import type { RefusalLog } from './refusal-log.ts';
import type { RateWatch } from './rate-watch.ts';
import type { RequestPace } from './request-pace.ts';
import type { ConnectionLease, UpstreamPools } from './upstream.ts';

export interface CallsDeps {
  readonly admission: CallAdmission;
  readonly denier: RequestDenier;
  readonly engine: LimitsEngine;
  readonly journal: Journal;
  readonly keys: KeyRing;
  readonly loads: KeyLoads;
  readonly pace: RequestPace;
  readonly prices: Pick<PriceBook, 'resolve' | 'contracts'>;
  readonly rates: RateWatch;
  readonly refusals: RefusalLog;
  readonly upstreams: UpstreamPools;
  readonly limits: CallLimits & {
    readonly callsInFlightMax: number;
    readonly callsPerKeyMax: number;
    readonly requestsPerCallMax: number;
  };
  readonly clock: Clock;
  /** Window time. */
  readonly now: Clock;
  readonly uptime: Uptime;
  readonly log: Log;
  readonly baggageTags: boolean;
  /** Proxies whose `x-forwarded-for` is trusted. */
  readonly trustedProxies: readonly AddressRange[];
  /** Runs once per call, after its end is in the journal, however long that takes. */
  readonly ended: (call: ProxiedCall, end: CallEnd) => void;
  /** Runs when a call is sent: seconds of the gateway's own work, without waiting for other calls. */
  readonly departed: (provider: string, seconds: number) => void;
}

/** Calls from their admission to their end. */
export class ProxiedCalls {
  readonly #deps: CallsDeps;
  readonly #callDeps: CallDeps;
  readonly #inFlight = new SlotSet<ProxiedCall>();
  /** Ended calls whose end is not in the journal yet: they keep what they hold. */
  #unsettled: { readonly call: ProxiedCall; readonly end: CallEnd }[] = [];
  #closing = false;

  constructor(deps: CallsDeps) {
    this.#deps = deps;
    const { journal, engine, prices, now, uptime, limits, log, rates } = deps;
    this.#callDeps = {
      journal,
      engine,
      prices,
      now,
      uptime,
      limits,
      log,
      rates,
      ended: (call, end, failure) => {
        this.#leave(call);
        this.#noteOutcome(call.begin.keyId, end.outcome);
        if (failure) this.#unsettled.push({ call, end });
        else this.#settle(call, end);
      },
    };
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Refuses calls from now on; open calls continue. */
  stopAdmitting(): void {
    this.#closing = true;
  }

  /** Throws after `stopAdmitting`. */
  requireOpen(): void {
    if (this.#closing) throw new TollbookError('unavailable', 'The service is closing; try again in a moment.');
  }

  /** Ends calls that have taken too long. Called about once a second. */
  sweep(): void {
    const uptime = this.#deps.uptime();
    this.#inFlight.each((call) => call.sweep(uptime));
    if (this.#unsettled.length > 0 && this.#deps.journal.problem === null) this.#settleLate();
  }

  /** Interrupts all open calls. Each is recorded with an uncertain cost. */
  abortAll(): void {
    this.#inFlight.each((call) => call.abort('reset'));
  }

  /** Admits and sends a request, or lets it wait. Throws its refusal; one that waited is refused later. */
  enter(request: InferenceRequest): void {
    this.#requireRoom();
    this.#refreshKey(request);
    this.#requireFewFailures(this.requireShare(request.key));
    const { admission, baggageTags, trustedProxies } = this.#deps;
    const { req, res, key } = request;
    request.tagReading = readTags(req.headers, key.tags, { baggage: baggageTags });
    for (const warning of request.tagReading.warnings) res.appendHeader('x-svc-warning', warning);
    if (req.headers['x-svc-cost'] === 'include' && request.facts.stream) request.streamCost = request.route.streamCost;
    request.contextReading = readCallContext(req.headers);
    for (const warning of request.contextReading.warnings) res.appendHeader('x-svc-warning', warning);
    request.callerAddress = callerAddress(req.socket.remoteAddress, req.headers['x-forwarded-for'], trustedProxies);
    let outcome: AdmittedCall | AdmissionAttempt;
    try {
      outcome = admission.admit(request, (error, admitted) => this.#admittedLater(request, error, admitted));
    } catch (error) {
      return this.#refuse(request, error);
    }
    if (outcome instanceof AdmissionAttempt) this.#await(request, outcome);
    else this.#start(request, outcome);
  }

  /** Opens the sum of the bounds of a batch. */
  openBatch({ req, key, provider }: Pick<ProxyRequest, 'req' | 'key' | 'provider'>): BatchBounds {
    if (key.credential === 'subscription') throw new TollbookError('invalid', NO_SUBSCRIBED_BATCH);
    const tagReading = readTags(req.headers, key.tags, { baggage: this.#deps.baggageTags });
    return this.#deps.admission.openBatch({ key, provider, tagReading });
  }

  #requireRoom(): void {
    const { limits, journal } = this.#deps;
    if (this.#inFlight.size >= limits.callsInFlightMax)
      throw new TollbookError(
        'unavailable',
        `${limits.callsInFlightMax} calls are open, as many as the gateway takes; try again in a moment.`,
      );
    if (journal.problem !== null) throw cannotRecord(journal.problem);
  }

  /** Returns the key's load. Throws if the key has as many open calls as one key may have. */
  requireShare({ id, name }: GatewayKey): KeyLoad {
    const { limits, loads } = this.#deps;
    const load = loads.get(id);
    if (load.calls < limits.callsPerKeyMax) return load;
    throw keyBusyError(name, `${load.calls} open calls`);
  }

  /** Counts a request of a key until its response is complete. Throws if as many are open as one key may have. */
  countRequest({ id, name }: GatewayKey, res: Pick<ClientResponse, 'once'>): KeyLoad {
    const { limits, loads } = this.#deps;
    const load = loads.get(id);
    if (load.requests >= limits.requestsPerCallMax * limits.callsPerKeyMax)
      throw keyBusyError(name, `${load.requests} requests without a response`);
    load.requests += 1;
    res.once('close', () => void (load.requests -= 1));
    return load;
  }

  /** Throws if too many of the key's recent calls failed. */
  #requireFewFailures({ failedCalls }: KeyLoad): void {
    const waitMs = failedCalls.waitMs(this.#deps.uptime());
    if (waitMs === 0) return;
    const { failedCallsPerKeyMax, failedCallsPerMinute } = LIMITS;
    throw new TollbookError(
      'rate_limited',
      `Too many calls of this wrapped key failed: ${failedCallsPerKeyMax} more than the provider answered. From now on, ${failedCallsPerMinute} a minute may fail. The list of calls shows their status.`,
      undefined,
      { retryAfter: Math.ceil(waitMs / 1_000) },
    );
  }

  #noteOutcome(keyId: string, outcome: CallOutcome): void {
    const { failedCalls } = this.#deps.loads.get(keyId);
    if (outcome === 'failed' || outcome === 'not_sent') failedCalls.add(this.#deps.uptime());
    else failedCalls.takeOff();
  }

  /** If the client disconnects while its call waits, gives up the attempt and frees the body. */
  #await(request: InferenceRequest, attempt: AdmissionAttempt): void {
    request.res.once('close', () => {
      attempt.leave();
      request.releaseBody();
    });
  }

  #admittedLater(request: InferenceRequest, error: unknown, admitted: AdmittedCall | null): void {
    try {
      if (!admitted) throw error;
      this.#startLate(request, admitted);
    } catch (failure) {
      this.#refuse(request, failure);
    }
  }

  /** Answers a refused call. If a limit refused it, that is recorded first. */
  #refuse(request: InferenceRequest, error: unknown): void {
    const { engine, now, refusals, denier } = this.#deps;
    const { key, provider, facts } = request;
    request.releaseBody();
    if (!(error instanceof LimitRefusedError)) return denier.refuse(request, error);
    engine.noteRefusal(error.refused, { keyId: key.id, provider: provider.id, model: facts.model }, now());
    refusals.add(request, error.refused, () => denier.refuse(request, error));
  }

  #startLate(request: InferenceRequest, admitted: AdmittedCall): void {
    try {
      this.requireOpen();
      this.#requireRoom();
      this.#refreshKey(request);
      request.readyAt = this.#deps.uptime();
      this.requireShare(request.key);
    } catch (failure) {
      this.#deps.engine.release(admitted.hold, this.#deps.now());
      throw failure;
    }
    this.#start(request, admitted);
  }

  /** Throws if the key was revoked or has expired while the body arrived or the call waited. */
  #refreshKey(request: InferenceRequest): void {
    request.key = this.#deps.keys.current(request.key, this.#deps.clock());
  }

  #start(request: InferenceRequest, admitted: AdmittedCall): void {
    const { uptime, departed, denier, loads, pace } = this.#deps;
    let call: ProxiedCall | null = null;
    let connection: Pick<ConnectionLease, 'end'> | null = null;
    try {
      connection = this.#leaseConnection(request);
      const opened = new ProxiedCall(this.#callDeps, request, toCallBegin(request, admitted), admitted, connection);
      call = opened;
      this.#join(opened);
      const sent = applySplices(request.body, admitted.splices);
      opened.writeBegin((failure) => {
        if (failure) {
          this.#forget(opened, admitted);
          opened.connection.end();
          return denier.refuse(request, cannotRecord(failure.message));
        }
        if (!this.#send(request, opened, sent)) return;
        pace.sent(loads.get(opened.begin.keyId));
        departed(request.provider.id, (uptime() - request.readyAt) / 1_000);
      });
    } catch (error) {
      connection?.end();
      this.#forget(call, admitted);
      throw error;
    }
  }

  /** Undoes the start of a call that was never recorded. */
  #forget(call: ProxiedCall | null, { hold }: AdmittedCall): void {
    if (call) this.#leave(call);
    this.#deps.engine.release(hold, this.#deps.now());
  }

  #leaseConnection({ provider, key, client, link }: InferenceRequest): Pick<ConnectionLease, 'end'> {
    if (link) return SOCKET_LEASE;
    const { upstreams, loads } = this.#deps;
    const connection = upstreams.target(provider.url).lease(loads.get(key.id), client);
    if (connection instanceof TollbookError) throw connection;
    return connection;
  }

  #join(call: ProxiedCall): void {
    this.#inFlight.add(call);
    this.#deps.loads.get(call.begin.keyId).calls += 1;
  }

  /** Does nothing if the call has left already. */
  #leave(call: ProxiedCall): void {
    if (!this.#inFlight.has(call)) return;
    this.#inFlight.remove(call);
    this.#deps.loads.get(call.begin.keyId).calls -= 1;
  }

  /** Settles calls whose end reached the journal late. */
  #settleLate(): void {
    const late = this.#unsettled;
    this.#unsettled = [];
    for (const { call, end } of late) this.#settle(call, end);
  }

  /** Settles a call whose end is in the journal. */
  #settle(call: ProxiedCall, end: CallEnd): void {
    this.#deps.engine.settle(call.hold, end, this.#deps.now());
    this.#deps.ended(call, end);
  }

  #send(request: InferenceRequest, call: ProxiedCall, sent: Uint8Array): boolean {
    const { address, provider, route, facts, req, key, link } = request;
    if (link) return call.dispatch(link, { ...ON_SOCKET, body: sent });
    const target = this.#deps.upstreams.target(provider.url);
    const headers = requestHeaders(req.headers, provider, key);
    if (route.authorize && key.credential !== 'subscription') route.authorize(headers, key.providerKey);
    if (route.readForm) headers['content-type'] = req.headers['content-type'] ?? '';
    // A compressed stream has no place for the cost.
    if (request.streamCost !== null) headers['accept-encoding'] = 'identity';
    const large = sent.length > KEPT_BODY_BYTES_MAX;
    if (large) headers['content-length'] = String(sent.length);
    const path = target.prefix + facts.upstreamPath + address.query;
    const { origin } = target;
    provider.sign?.({ method: 'POST', origin, path, headers, body: sent }, key.providerKey, this.#deps.clock());
    return call.dispatch(target.pool, {
      origin,
      path,
      method: 'POST',
      headers,
      body: large ? Readable.from(passing(sent)) : sent,
    });
  }
}

/** Calls on a WebSocket share its connection, which the socket leases. */
const SOCKET_LEASE = { end: (): void => {} };
const ON_SOCKET = { origin: '', path: '', method: 'POST' } as const;
const NO_SUBSCRIBED_BATCH = 'The login of a subscription has no batches. Use a wrapped key with a provider key.';

function toCallBegin(request: InferenceRequest, { hold, shortenedTo }: AdmittedCall): CallBegin {
  const { id, provider, key, route, facts, tagReading, contextReading } = request;
  const begin: CallBegin = {
    callId: id,
    workspaceId: key.workspaceId,
    keyId: key.id,
    provider: provider.id,
    operation: route.operation,
    requestedModel: facts.model,
    stream: facts.stream,
    tags: tagReading.tags,
    sessionHash: contextReading.sessionHash,
    context: hold.subject.context ?? contextReading.context,
    shortenedTo,
    startedAt: hold.startedAt,
    hold: hold.need,
    touched: hold.counterRefs(),
  };
  if (key.credential === 'subscription') return { ...begin, isSubscription: true };
  return facts.runsOn ? { ...begin, openWork: describeOpenWork(request) } : begin;
}

/** Longest kept value of a header. */
const HEADER_CHARS_MAX = 256;

/** Returns what a job needs to ask about work that goes on after the response. */
function describeOpenWork({ req, provider, facts: { batch } }: InferenceRequest): OpenWork {
  const headers: Record<string, string> = {};
  for (const name of provider.accountHeaders ?? []) {
    const value = req.headers[name];
    if (typeof value === 'string' && value.length <= HEADER_CHARS_MAX && !value.includes(SECRET_PREFIX))
      headers[name] = value;
  }
  return { headers, ...(batch && { batch }) };
}

/** Returns the body with its edits made; the body itself when there are none. */
function applySplices(body: Uint8Array, splices: readonly BodySplice[]): Uint8Array {
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

/**
 * Largest body that is given to the HTTP client as bytes, which it keeps until the answer ends. A larger body is given as
 * a stream, and freed once sent.
 */
const KEPT_BODY_BYTES_MAX = 16 * 1024;

function* passing(body: Uint8Array): Generator<Uint8Array> {
  yield body;
}

/** @param load what the key has, with its number */
function keyBusyError(name: string, load: string): TollbookError {
  return new TollbookError(
    'in_flight',
    `The wrapped key "${name}" has ${load}, as many as one key may have; wait until some have ended, use another key, or set SVC_CALLS_PER_KEY higher.`,
    undefined,
    { retryAfter: 1 },
  );
}

function cannotRecord(reason: string): TollbookError {
  return new TollbookError('unavailable', `The call can't be recorded, so it was not sent: ${reason}`);
}
