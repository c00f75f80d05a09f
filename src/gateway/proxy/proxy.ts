import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressRange } from '../../domain/identity/address-range.ts';
import { checkPolicy } from '../../domain/policy/check-policy.ts';
import { LIMITS } from '../../config.ts';
import { OWN_LIMITS } from '../../domain/identity/custom-provider.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import type { Clock, Uptime } from '../../lib/clock.ts';
import { SlotSet } from '../../lib/concurrency/slots.ts';
import type { LimitsEngine } from '../../limits/limits.ts';
import type {
  BatchRoute,
  FileBatchRoute,
  FreeRoute,
  InferenceRoute,
  Provider,
  ProviderRoute,
  RequestFacts,
  SocketRoute,
} from '../../providers/provider.ts';
import { knownParameters, PROXY_PREFIX, type ProxyAddress, readProviderId, readProxyAddress } from './address.ts';
import { BATCH_LINE_BYTES_MAX, BatchInput } from './batch-input.ts';
import type { BatchBounds } from './batch-bounds.ts';
import { type BodyBudget, BodyLease } from './body-budget.ts';
import { readCallContext } from './call-context.ts';
import { callerAddress } from './caller-address.ts';
import type { ProxiedCalls } from './calls.ts';
import type { ClientShares } from './client-shares.ts';
import { denyUpstream, type RequestDenier } from './deny.ts';
import { FreeCall } from './free-call.ts';
import {
  FOR_PAGE,
  isForPage,
  namesSeveralHosts,
  NO_PAGE_HEADERS,
  refuseTierHeaders,
  requestHeaders,
  SEVERAL_HOSTS,
} from './headers.ts';
import type { KeyLoads } from './key-loads.ts';
import { type KeyRing, readRequestSecret, requireLogin } from './keys.ts';
import { LargeBodies } from './large-bodies.ts';
import { renderOwnLimits } from './own-limits.ts';
import { type CallRoute, InferenceRequest, type ProxyRequest, type RequestHead } from './proxy-request.ts';
import { type BodyLimits, BodyReader } from './read-body.ts';
import type { RequestPace } from './request-pace.ts';
import type { SocketDeps } from './response-socket.ts';
import { ResponseSockets } from './response-sockets.ts';
import { UpgradeResponse } from './upgrade-response.ts';
import type { UpstreamPools } from './upstream.ts';

export interface ProxyDeps {
  readonly calls: ProxiedCalls;
  readonly denier: RequestDenier;
  readonly engine: LimitsEngine;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly keys: KeyRing;
  readonly clients: ClientShares;
  readonly loads: KeyLoads;
  readonly pace: RequestPace;
  readonly bodies: BodyBudget;
  readonly upstreams: UpstreamPools;
  readonly limits: BodyLimits & { readonly freeCallMsMax: number };
  readonly clock: Clock;
  /** Window time. */
  readonly now: Clock;
  readonly uptime: Uptime;
  readonly trustedProxies: readonly AddressRange[];
  /** Address of the gateway for clients. */
  readonly baseUrl: string;
  readonly newCallId: () => string;
}

/** A request before its body is read. */
interface UnreadRequest {
  readonly id: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** An authenticated request, which may have to wait for its turn. */
interface OpenedRequest extends UnreadRequest {
  readonly asked: ProxyAddress;
  readonly key: GatewayKey;
}

/** The input file of a batch, after it was read. */
interface ReadInput {
  readonly body: Buffer;
  readonly sum: BatchBounds;
  /** Why the batch is refused; null = it is not. */
  readonly error: unknown;
}

/** The hot path: `/api/proxy/{provider}…`. It uses no framework, copies no body, and makes no promise for an ordinary call. */
export class ProviderProxy {
  readonly #deps: ProxyDeps;
  readonly #freeCalls = new SlotSet<FreeCall | BatchInput>();
  readonly #reader: BodyReader;
  readonly #largeBodies = new LargeBodies();
  readonly #sockets: ResponseSockets;

  constructor(deps: ProxyDeps) {
    this.#deps = deps;
    const enter: SocketDeps['enter'] = (request, route, body) => this.#withBody(request, route, null, body);
    this.#sockets = new ResponseSockets({ ...deps, enter });
    this.#reader = new BodyReader(deps.limits);
  }

  /** Authenticates a request, and begins it when its key may begin another. Refusals use the provider's error format. */
  handle(req: IncomingMessage, res: ServerResponse): void {
    const { providers, keys, clock, newCallId, calls, pace } = this.#deps;
    const id = newCallId();
    let provider: Provider | null = null;
    try {
      const url = req.url ?? '';
      provider = providers.get(readProviderId(url)) ?? null;
      if (namesSeveralHosts(req.headers)) throw new TollbookError('invalid', SEVERAL_HOSTS);
      if (isForPage(req.headers)) throw new TollbookError('cross_site', FOR_PAGE);
      const asked = readProxyAddress(url);
      const isOwnLimits = req.method === 'GET' && asked.provider === OWN_LIMITS && asked.rest === '';
      if (!provider && !isOwnLimits) throw unknownProviderError(asked.provider, providers);
      calls.requireOpen();
      if (provider && isProbe(req, asked)) return void res.writeHead(200, NO_PAGE_HEADERS).end();
      const key = keys.find(readRequestSecret(req.headers, asked.queryKey), clock(), req.socket);
      const opened = { id, req, res, asked, key };
      pace.begin(calls.countRequest(key, res), res, () => this.#begin(opened, provider));
    } catch (error) {
      this.#refuseInTurn({ id, req, res }, provider, error);
    }
  }

  /** Refuses a request that has no turn of a key: of one client address only so many in a second. */
  #refuseInTurn(request: UnreadRequest, provider: Provider | null, error: unknown): void {
    const { clients, pace } = this.#deps;
    const { req, res } = request;
    const refuse = (): void => this.#refuseUnread(request, provider, error);
    try {
      const client = clients.find(req, res);
      if (client.unsent.waiting.size < LIMITS.waitingRefusalsPerAddressMax) return pace.begin(client, res, refuse);
      res.setHeader('connection', 'close');
      refuse();
    } catch (failure) {
      this.#refuseUnread(request, provider, failure);
    }
  }

  #refuseUnread({ id, req, res }: UnreadRequest, provider: Provider | null, error: unknown): void {
    req.resume();
    this.#deps.denier.refuseUnknown(res, provider, error, id);
  }

  /**
   * Routes and reads a request, then starts its call.
   * @param found null = the request is for the limits of its key
   */
  #begin(opened: OpenedRequest, found: Provider | null): void {
    const { id, req, res, asked, key } = opened;
    const { bodies, loads, clients, calls } = this.#deps;
    let provider = found;
    try {
      calls.requireOpen();
      if (!provider) return this.#showOwnLimits(req, res, key);
      if (key.provider !== provider.id) throw wrongProviderError(key, provider);
      if (key.credential === 'subscription') provider = requireLogin(req.headers, key, provider);
      const route = provider.route(req.method ?? 'GET', asked.rest);
      if (route.kind === 'none') throw new TollbookError(NO_ROUTE[route.status], route.reason);
      if (provider.tierHeaders) refuseTierHeaders(req.headers, provider.tierHeaders);
      const address = withKnownQuery(asked, provider, route, res);
      if (route.kind === 'socket') return this.#openSocket(opened, provider, route, address);
      const client = clients.find(req, res);
      const lease = new BodyLease(bodies, loads.get(key.id), client);
      const request: ProxyRequest = { id, req, res, address, provider, key, client, lease };
      this.#reader.read(req, lease, (error, body) => this.#withBody(request, route, error, body));
    } catch (error) {
      this.#refuseUnread(opened, provider, error);
    }
  }

  #openSocket(
    { id, req, res, key }: OpenedRequest,
    provider: Provider,
    route: SocketRoute,
    address: ProxyAddress,
  ): void {
    if (!(res instanceof UpgradeResponse)) throw new TollbookError('method_not_allowed', route.plainReason);
    this.#sockets.open({ id, req, res, address, provider, route, key });
  }

  /** Closes each WebSocket as soon as it has no open call. */
  leaveSockets(): void {
    this.#sockets.leave();
  }

  terminateSockets(): void {
    this.#sockets.terminate();
  }

  /** Ends bodies, free calls and calls that take too long. Called about once a second. */
  sweep(): void {
    const { uptime: readUptime, now, bodies, calls } = this.#deps;
    const uptime = readUptime();
    // Reading window time detects steps of the wall clock, in a gateway without calls too.
    now();
    bodies.sweep(uptime);
    this.#sockets.sweep(uptime);
    this.#freeCalls.each((call) => call.sweep(uptime));
    calls.sweep();
  }

  #showOwnLimits(req: IncomingMessage, res: ServerResponse, key: GatewayKey): void {
    const { engine, now } = this.#deps;
    this.#checkFree(req, key, 0);
    const { context } = readCallContext(req.headers);
    const body = renderOwnLimits(engine.keyCounters({ ...key, keyId: key.id, context }, now()), key, now());
    res.writeHead(200, { ...NO_PAGE_HEADERS, ...OWN_ANSWER_HEADERS }).end(body);
  }

  #withBody(
    request: ProxyRequest,
    route: FreeRoute | InferenceRoute | BatchRoute,
    error: TollbookError | null,
    body: Buffer,
  ): void {
    try {
      // Decoding takes time, and the client may have disconnected.
      if (request.res.destroyed) return request.lease.end();
      if (error) throw error;
      if (route.kind === 'free') return this.#forwardFree(request, route, body);
      const readyAt = this.#deps.uptime();
      if (route.kind === 'batch') return this.#readBatch(request, route, body);
      if (route.readForm) {
        const facts = route.readForm(body, request.req.headers['content-type'] ?? '');
        this.#deps.calls.enter(new InferenceRequest(request, route, facts, body, readyAt));
      } else if (body.length > READ_WHOLE_BYTES_MAX)
        this.#readLarge(request, route, body, route.readRequestInSlices(body));
      else this.#deps.calls.enter(new InferenceRequest(request, route, route.readRequest(body), body, readyAt));
    } catch (failure) {
      this.#refuseRead(request, failure);
    }
  }

  #readBatch(request: ProxyRequest, route: BatchRoute, body: Buffer): void {
    const sum = this.#deps.calls.openBatch(request);
    if ('readFile' in route) this.#readInput(request, route, body, sum);
    else this.#readLarge(request, { ...route, streamCost: null }, body, sum.addList(route, body));
  }

  /** Reads the requests of a batch from its file at the provider, then begins its call. */
  #readInput(request: ProxyRequest, route: FileBatchRoute, body: Buffer, sum: BatchBounds): void {
    const file = route.readFile(body);
    const { req, res, key, provider, lease } = request;
    const { uptime, clock, limits, calls, upstreams } = this.#deps;
    this.#checkFree(req, key, body.length);
    const load = calls.requireShare(key);
    const noRoom = lease.take(BATCH_LINE_BYTES_MAX);
    if (noRoom) throw noRoom;
    const target = upstreams.target(provider.url);
    const headers = requestHeaders(req.headers, provider, key);
    headers['accept-encoding'] = 'identity';
    const connection = target.lease(load, request.client);
    if (connection instanceof TollbookError) throw connection;
    const input = new BatchInput({
      until: uptime() + limits.freeCallMsMax,
      connection,
      provider: provider.name,
      *readLine(line) {
        sum.add(yield* file.readLine(line));
      },
      over: () => {
        load.calls -= 1;
        this.#freeCalls.remove(input);
        lease.release(BATCH_LINE_BYTES_MAX);
      },
      done: (error) => this.#beginBatch(request, route, { body, sum, error }),
    });
    load.calls += 1;
    this.#freeCalls.add(input);
    res.once('close', () => {
      input.leave();
      lease.end();
    });
    const sent = {
      method: 'GET',
      origin: target.origin,
      path: target.prefix + file.path,
      headers,
      body: null,
    } as const;
    provider.sign?.(sent, key.providerKey, clock());
    target.pool.dispatch(sent, input);
  }

  #beginBatch(request: ProxyRequest, route: FileBatchRoute, { body, sum, error }: ReadInput): void {
    if (error !== null) return this.#refuseRead(request, error);
    try {
      const readyAt = this.#deps.uptime();
      const facts = sum.facts(route);
      this.#deps.calls.enter(new InferenceRequest(request, { ...route, streamCost: null }, facts, body, readyAt));
    } catch (failure) {
      this.#refuseRead(request, failure);
    }
  }

  /** Reads a large body in slices where it takes long. Other calls continue in between, and the client may disconnect. */
  #readLarge(
    request: ProxyRequest,
    route: CallRoute,
    body: Buffer,
    slices: Generator<undefined, RequestFacts, undefined>,
  ): void {
    const readyAt = this.#deps.uptime();
    this.#largeBodies.read({
      key: request.key.id,
      address: request.client.name,
      slices,
      hasClientLeft: () => request.res.destroyed,
      abandoned: () => request.lease.end(),
      done: (facts) => this.#deps.calls.enter(new InferenceRequest(request, route, facts, body, readyAt)),
      failed: (failure) => this.#refuseRead(request, failure),
    });
  }

  #refuseRead(request: ProxyRequest, failure: unknown): void {
    request.lease.end();
    this.#deps.denier.refuse(request, failure);
  }

  #forwardFree(request: ProxyRequest, route: FreeRoute, body: Buffer): void {
    const { req, res, address, provider, id, lease } = request;
    const { uptime, clock, limits, calls, upstreams } = this.#deps;
    this.#checkFree(req, request.key, body.length);
    const load = calls.requireShare(request.key);
    const target = upstreams.target(provider.url);
    const headers = requestHeaders(req.headers, provider, request.key);
    if (route.keepsContentType) headers['content-type'] = req.headers['content-type'] ?? 'application/octet-stream';
    if (route.ownAddress) headers['accept-encoding'] = 'identity';
    const connection = target.lease(load, request.client);
    if (connection instanceof TollbookError) throw connection;
    res.once('close', () => lease.end());
    const call = new FreeCall({
      res,
      until: uptime() + limits.freeCallMsMax,
      connection,
      ownAddress: route.ownAddress ?? null,
      addressHeader: route.addressHeader
        ? { ...route.addressHeader, gatewayUrl: `${this.#deps.baseUrl}${PROXY_PREFIX}${provider.id}` }
        : null,
      deny: (status, what) => denyUpstream(res, provider, status, `${provider.name} ${what}.`, id),
    });
    load.calls += 1;
    this.#freeCalls.add(call);
    res.once('close', () => {
      load.calls -= 1;
      this.#freeCalls.remove(call);
    });
    const method = req.method === 'POST' || req.method === 'DELETE' ? req.method : 'GET';
    const path = target.prefix + route.upstreamPath + address.query;
    const sent = { method, origin: target.origin, path, headers, body: method === 'POST' ? body : null } as const;
    provider.sign?.(sent, request.key.providerKey, clock());
    target.pool.dispatch(sent, call);
  }

  /** Applies the rules of the key's policy on addresses, hours and sizes to a free request. */
  #checkFree(req: RequestHead, key: GatewayKey, bodyBytes: number): void {
    const { trustedProxies, now } = this.#deps;
    const refusal = checkPolicy(key.policy, {
      keyName: key.name,
      models: [],
      tags: null,
      tagWarnings: [],
      address: callerAddress(req.socket.remoteAddress, req.headers['x-forwarded-for'], trustedProxies),
      at: now(),
      bodyBytes,
    });
    if (refusal) throw refusal;
  }
}

const OWN_ANSWER_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' } as const;

/** Bodies up to this size are read in one step, which takes a few milliseconds at most. */
const READ_WHOLE_BYTES_MAX = 32_768;

const NO_ROUTE = { 400: 'invalid', 404: 'not_found', 405: 'method_not_allowed' } as const;

/** Reports Claude Code's check that the server answers: HEAD, without a key. */
function isProbe(req: IncomingMessage, { rest }: ProxyAddress): boolean {
  return req.method === 'HEAD' && (rest === '' || rest === '/api/hello');
}

function withKnownQuery(
  address: ProxyAddress,
  { name, queryParameters }: Provider,
  route: ProviderRoute,
  res: Pick<ServerResponse, 'appendHeader'>,
): ProxyAddress {
  if (address.query === '') return address;
  const own = route.kind === 'free' ? (route.queryParameters ?? []) : [];
  const { query, warning } = knownParameters(address.query, {
    name,
    queryParameters: own.length > 0 ? [...queryParameters, ...own] : queryParameters,
  });
  if (warning === null) return address;
  res.appendHeader('x-svc-warning', warning);
  return { ...address, query };
}

function unknownProviderError(id: string, providers: ReadonlyMap<string, Provider>): TollbookError {
  const known = [...providers.keys()].join(', ');
  return new TollbookError('not_found', `There is no provider "${id.slice(0, 64)}" here. Known: ${known}.`);
}

function wrongProviderError(key: GatewayKey, provider: Provider): TollbookError {
  return new TollbookError(
    'wrong_secret',
    `The wrapped key "${key.name}" is for ${key.provider}; this is the address of ${provider.name}. Use /api/proxy/${key.provider}, or a key for ${provider.id}.`,
  );
}
