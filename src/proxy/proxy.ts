import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { GateKey } from '../core/gate-key.ts';
import type { AddressRange } from '../core/address-range.ts';
import type { CallEnd } from '../core/call.ts';
import { TollbookError } from '../core/errors.ts';
import { readTags, type TagReading } from '../core/tags.ts';
import type { Journal } from '../journal/journal.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock, Uptime } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Slots } from '../lib/slots.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { FreeRoute, InferenceRoute, Provider, RequestFacts, Route } from '../providers/provider.ts';
import { providerOf, type ProxyAddress, readAddress } from './address.ts';
import { Admission, type AdmissionDeps } from './admission.ts';
import { type Admitted, Attempt, type Entrant } from './attempt.ts';
import { callerAddress } from './caller-address.ts';
import { Call, type CallDeps, type CallLimits } from './call.ts';
import { deny, denialOf } from './deny.ts';
import { FreeCall } from './free-call.ts';
import { offeredEncodings, upstreamHeaders, type Headers } from './headers.ts';
import { readSecret, type KeyRing } from './keys.ts';
import { type BodyBudget, type BodyLimits, leaseOf, readBody } from './read-body.ts';
import { sessionHashOf } from './session.ts';
import { applySplices } from './splice.ts';
import type { Upstreams } from './upstream.ts';

interface ProxyLimits extends BodyLimits, CallLimits {
  readonly callsInFlightMax: number;
}

export interface ProxyDeps {
  readonly keys: KeyRing;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly prices: Pick<PriceBook, 'resolve'>;
  readonly journal: Journal;
  readonly upstreams: Upstreams;
  readonly bodies: BodyBudget;
  readonly limits: ProxyLimits;
  readonly ledger: Ledger;
  /** Ledger time: calls begin by it. */
  readonly now: Clock;
  readonly clock: Clock;
  readonly uptime: Uptime;
  readonly log: Log;
  readonly exhausted: AdmissionDeps['exhausted'];
  /** Whose word on where a call comes from is believed. */
  readonly trustedProxies: readonly AddressRange[];
  readonly newCallId: () => string;
  readonly baggageTags: boolean;
  /** Told once per call after its end is in the journal. */
  readonly ended: (call: Call, end: CallEnd) => void;
  /** Told when a call leaves: seconds since its body was there. */
  readonly departed: (provider: string, seconds: number) => void;
  /** Told for every request that was refused before anything was sent. */
  readonly refused: (provider: string | null, status: number) => void;
}

/** One request on its way through the gate. */
interface Passage {
  readonly id: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly address: ProxyAddress;
  readonly provider: Provider;
  readonly key: GateKey;
}

/** A request whose body was read, and how. */
interface Reading {
  readonly passage: Passage;
  readonly route: InferenceRoute;
  readonly facts: RequestFacts;
  readonly body: Buffer;
  readonly giveBack: () => void;
}

/** The hot path: `/api/proxy/{provider}…`. No framework, no copy of a body, no promise for an ordinary call. */
export class Proxy {
  readonly #deps: ProxyDeps;
  readonly #calls: CallDeps;
  readonly #admission: Admission;
  readonly #inFlight = new Slots<Call>();
  /** Ended calls whose end the journal could not take yet: what they hold stays held. */
  #unsettled: { readonly call: Call; readonly end: CallEnd }[] = [];
  #closing = false;

  constructor(deps: ProxyDeps) {
    this.#deps = deps;
    this.#admission = new Admission(deps);
    this.#calls = {
      journal: deps.journal,
      ledger: deps.ledger,
      now: deps.now,
      uptime: deps.uptime,
      limits: deps.limits,
      log: deps.log,
      ended: (call, end, failure) => {
        this.#inFlight.remove(call);
        if (failure) this.#unsettled.push({ call, end });
        else deps.ledger.settle(call.parts.hold, end, deps.now());
        deps.ended(call, end);
      },
    };
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Key, route and body of a request, then its call. Every refusal is said in the provider's own shape. */
  handle(req: IncomingMessage, res: ServerResponse): void {
    const { providers, keys, clock, newCallId } = this.#deps;
    const id = newCallId();
    let provider: Provider | null = null;
    try {
      const url = req.url ?? '';
      provider = providers.get(providerOf(url)) ?? null;
      const address = readAddress(url);
      if (!provider) throw unknownProvider(address.provider, providers);
      if (this.#closing) throw new TollbookError('unavailable', 'The service is closing; try again in a moment.');
      if (isProbe(req, address)) return void res.writeHead(200).end();
      const key = keys.find(readSecret(req.headers, address.queryKey), clock(), req.socket);
      if (key.provider !== provider.id) throw otherProvider(key, provider);
      const route = provider.route(req.method ?? 'GET', address.rest);
      if (route.kind === 'none') throw new TollbookError(NO_ROUTE[route.status], route.reason);
      const passage: Passage = { id, req, res, address, provider, key };
      readBody(req, this.#deps.limits, this.#deps.bodies, (error, body) => this.#withBody(passage, route, error, body));
    } catch (error) {
      req.resume();
      this.#refuse(res, provider, error, id);
    }
  }

  /** From now on calls are refused; those under way go on. */
  closeDoor(): void {
    this.#closing = true;
  }

  /** Ends calls that have gone on for too long; called about once a second. */
  sweep(): void {
    const uptime = this.#deps.uptime();
    this.#inFlight.each((call) => call.sweep(uptime));
    if (this.#unsettled.length > 0 && this.#deps.journal.trouble === null) this.#settleLate();
  }

  /** Breaks off what is still under way. Each such call is booked with its cost unknown. */
  abortAll(): void {
    this.#inFlight.each((call) => call.abort('reset'));
  }

  #withBody(passage: Passage, route: Route, error: TollbookError | null, body: Buffer): void {
    const giveBack = leaseOf(this.#deps.bodies, body.length);
    try {
      // A body is decoded in its own time; whoever left meanwhile is owed nothing.
      if (passage.res.destroyed) return giveBack();
      if (error) throw error;
      if (route.kind === 'free') this.#passFree(passage, route, body, giveBack);
      else if (body.length > READ_AT_ONCE_BYTES_MAX)
        this.#readInSlices(passage, route, route.readRequestInSlices(body), body, giveBack);
      else this.#begin(passage, route, route.readRequest(body), body, giveBack);
    } catch (failure) {
      giveBack();
      this.#refuse(passage.res, passage.provider, failure, passage.id);
    }
  }

  /** Reads a large body slice by slice; other calls go on in between, and the client may leave. */
  #readInSlices(
    passage: Passage,
    route: InferenceRoute,
    slices: Generator<undefined, RequestFacts, undefined>,
    body: Buffer,
    giveBack: () => void,
  ): void {
    try {
      if (passage.res.destroyed) return giveBack();
      const slice = slices.next();
      if (slice.done) this.#begin(passage, route, slice.value, body, giveBack);
      else setImmediate(() => this.#readInSlices(passage, route, slices, body, giveBack));
    } catch (failure) {
      giveBack();
      this.#refuse(passage.res, passage.provider, failure, passage.id);
    }
  }

  #begin(passage: Passage, route: InferenceRoute, facts: RequestFacts, body: Buffer, giveBack: () => void): void {
    this.#requireRoom();
    const { req, res, provider } = passage;
    // The body may have taken minutes to arrive; a key revoked meanwhile is revoked for this call.
    const key = this.#deps.keys.current(passage.key, this.#deps.clock());
    const tags = readTags(req.headers, key.tags, { baggage: this.#deps.baggageTags });
    for (const warning of tags.warnings) res.appendHeader('x-svc-warning', warning);
    const reading: Reading = { passage: { ...passage, key }, route, facts, body, giveBack };
    const entrant: Entrant = {
      key,
      provider,
      facts,
      body,
      tags: tags.tags,
      tagWarnings: tags.warnings,
      address: callerAddress(req.socket.remoteAddress, req.headers['x-forwarded-for'], this.#deps.trustedProxies),
      upstream: () => ({
        target: this.#deps.upstreams.target(provider.url),
        headers: this.#headersFor({ ...passage, key }),
      }),
    };
    const outcome = this.#admission.admit(entrant, (error, admitted) =>
      this.#admittedLater(reading, tags, error, admitted),
    );
    if (outcome instanceof Attempt) this.#await(reading, outcome);
    else this.#start(reading, tags, outcome);
  }

  #requireRoom(): void {
    const { limits, journal } = this.#deps;
    if (this.#inFlight.size >= limits.callsInFlightMax)
      throw new TollbookError(
        'unavailable',
        `${limits.callsInFlightMax} calls are under way, as many as the gate takes; try again in a moment.`,
      );
    if (journal.trouble !== null) throw cannotBook(journal.trouble);
  }

  /** Whoever leaves while the call waits is owed nothing. */
  #await({ passage, giveBack }: Reading, attempt: Attempt): void {
    passage.res.once('close', () => {
      attempt.leave();
      giveBack();
    });
  }

  #admittedLater(reading: Reading, tags: TagReading, error: unknown, admitted: Admitted | null): void {
    const { passage, giveBack } = reading;
    const { ledger, now } = this.#deps;
    try {
      if (!admitted) throw error;
      if (this.#closing) throw new TollbookError('unavailable', 'The service is closing; try again in a moment.');
      this.#requireRoom();
      this.#start(reading, tags, admitted);
    } catch (failure) {
      if (admitted) ledger.release(admitted.hold, now());
      giveBack();
      this.#refuse(passage.res, passage.provider, failure, passage.id);
    }
  }

  #start(reading: Reading, { tags }: TagReading, admitted: Admitted): void {
    const { passage, facts, body } = reading;
    const { res, provider, id } = passage;
    const call = this.#open(reading, tags, admitted);
    this.#inFlight.add(call);
    const readAt = performance.now();
    call.begin((failure) => {
      if (failure) {
        this.#inFlight.remove(call);
        this.#deps.ledger.release(admitted.hold, this.#deps.now());
        return this.#refuse(res, provider, cannotBook(failure.message), id);
      }
      this.#send(passage, call, facts, applySplices(body, admitted.splices));
      this.#deps.departed(provider.id, (performance.now() - readAt) / 1_000);
    });
  }

  #open({ passage, route, facts, body, giveBack }: Reading, tags: TagReading['tags'], admitted: Admitted): Call {
    const { prices } = this.#deps;
    const { id, req, res, provider, key } = passage;
    const { hold, clampedTo } = admitted;
    const begin = {
      callId: id,
      workspaceId: key.workspaceId,
      keyId: key.id,
      provider: provider.id,
      operation: route.operation,
      askedModel: facts.model,
      stream: facts.stream,
      tags,
      sessionHash: sessionHashOf(req.headers),
      beganAt: hold.beganAt,
      hold: hold.need,
      touched: hold.touches(),
    };
    return new Call(this.#calls, {
      begin,
      hold,
      clampedTo,
      drains: key.policy.whenClientLeaves === 'drain',
      provider,
      facts,
      bodyBytes: body.length,
      bodySent: giveBack,
      res,
      resolve: (model) => prices.resolve(begin.workspaceId, provider.priceProvider, model, begin.beganAt),
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
    for (const { call, end } of late) this.#deps.ledger.settle(call.parts.hold, end, this.#deps.now());
  }

  #send(passage: Passage, call: Call, facts: RequestFacts, sent: Uint8Array): void {
    const { address, provider } = passage;
    const target = this.#deps.upstreams.target(provider.url);
    const headers = this.#headersFor(passage);
    const large = sent.length > KEPT_BODY_BYTES_MAX;
    if (large) headers['content-length'] = String(sent.length);
    call.dispatch(target.pool, {
      origin: target.origin,
      path: target.prefix + facts.upstreamPath + address.query,
      method: 'POST',
      headers,
      body: large ? Readable.from(passing(sent)) : sent,
    });
  }

  #headersFor({ req, provider, key }: Passage): Headers {
    const headers = upstreamHeaders(req.headers, provider.defaultHeaders);
    headers['accept-encoding'] = offeredEncodings(req.headers['accept-encoding']);
    provider.authorize(headers, key.providerKey);
    return headers;
  }

  #passFree(passage: Passage, route: FreeRoute, body: Buffer, giveBack: () => void): void {
    const { req, res, address, provider, id } = passage;
    const target = this.#deps.upstreams.target(provider.url);
    res.once('close', giveBack);
    const call = new FreeCall(res, (error) => {
      const reason = (error as NodeJS.ErrnoException).code ?? error.name;
      deny(
        res,
        provider,
        { status: 502, type: 'upstream_unreachable', message: `${provider.name} could not be reached (${reason}).` },
        id,
      );
    });
    target.pool.dispatch(
      {
        origin: target.origin,
        path: target.prefix + route.upstreamPath + address.query,
        method: req.method === 'POST' ? 'POST' : 'GET',
        headers: this.#headersFor(passage),
        body: req.method === 'POST' ? body : null,
      },
      call,
    );
  }

  #refuse(res: ServerResponse, provider: Provider | null, error: unknown, id: string): void {
    const denial = denialOf(error, this.#deps.log, id);
    this.#deps.refused(provider?.id ?? null, denial.status);
    deny(res, provider, denial, id);
  }
}

/** A mebibyte is read in a few milliseconds; for longer no body may hold up the other calls. */
const READ_AT_ONCE_BYTES_MAX = 1_048_576;

/** The HTTP client keeps a body it was given as bytes until the answer has ended; a larger one is let go once sent. */
const KEPT_BODY_BYTES_MAX = 16 * 1024;

function* passing(body: Uint8Array): Generator<Uint8Array> {
  yield body;
}

const NO_ROUTE = { 400: 'invalid', 404: 'not_found', 405: 'method' } as const;

/** Claude Code asks with HEAD, without any key, whether somebody is there. */
function isProbe(req: IncomingMessage, { rest }: ProxyAddress): boolean {
  return req.method === 'HEAD' && (rest === '' || rest === '/api/hello');
}

function unknownProvider(id: string, providers: ReadonlyMap<string, Provider>): TollbookError {
  const known = [...providers.keys()].join(', ');
  return new TollbookError('not_found', `There is no provider "${id.slice(0, 64)}" here. Known: ${known}.`);
}

function otherProvider(key: GateKey, provider: Provider): TollbookError {
  return new TollbookError(
    'wrong_secret',
    `The wrapped key "${key.name}" is for ${key.provider}; this is the address of ${provider.name}. Use /api/proxy/${key.provider}, or a key for ${provider.id}.`,
  );
}

function cannotBook(reason: string): TollbookError {
  return new TollbookError('unavailable', `The call can't be booked, so it was not sent: ${reason}`);
}
