import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkPolicy } from '../../domain/policy/check-policy.ts';
import { OWN_LIMITS } from '../../domain/identity/custom-provider.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { SlotSet } from '../../lib/concurrency/slots.ts';
import type { FreeRoute, Provider, RequestFacts, ProviderRoute } from '../../providers/provider.ts';
import { knownParameters, type ProxyAddress, readProviderId, readProxyAddress } from './address.ts';
import { callerAddress } from './caller-address.ts';
import { ProxiedCalls, type CallsDeps, type ProxyRequest, type ParsedRequest } from './calls.ts';
import type { ClientShares } from './client-shares.ts';
import { CountRefusal } from './count-tokens.ts';
import { deny, toDenial } from './deny.ts';
import { FreeCall } from './free-call.ts';
import { FOR_PAGE, isForPage, namesSeveralHosts, NO_PAGE_HEADERS, requestHeaders, SEVERAL_HOSTS } from './headers.ts';
import { readRequestSecret } from './keys.ts';
import { LargeBodies } from './large-bodies.ts';
import { renderOwnLimits } from './own-limits.ts';
import { BodyLease } from './body-budget.ts';
import { type BodyLimits, BodyReader } from './read-body.ts';

export interface ProxyDeps extends CallsDeps {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly limits: BodyLimits & CallsDeps['limits'] & { readonly freeCallMsMax: number };
  readonly clients: ClientShares;
  readonly newCallId: () => string;
  /** Told for every request that was refused before anything was sent. */
  readonly refused: (provider: string | null, status: number) => void;
}

/** The hot path: `/api/proxy/{provider}…`. No framework, no copy of a body, no promise for an ordinary call. */
export class ProviderProxy {
  readonly #deps: ProxyDeps;
  readonly calls: ProxiedCalls;
  readonly #freeCalls = new SlotSet<FreeCall>();
  readonly #reader: BodyReader;
  readonly #largeBodies = new LargeBodies();

  constructor(deps: ProxyDeps) {
    this.#deps = deps;
    this.#reader = new BodyReader(deps.limits);
    this.calls = new ProxiedCalls(deps, (request, error) => this.#refuseRequest(request, error));
  }

  /** Key, route and body of a request, then its call. Every refusal is said in the provider's own shape. */
  handle(req: IncomingMessage, res: ServerResponse): void {
    const { providers, keys, clock, newCallId, bodies, loads, clients } = this.#deps;
    const id = newCallId();
    let provider: Provider | null = null;
    try {
      const url = req.url ?? '';
      provider = providers.get(readProviderId(url)) ?? null;
      if (namesSeveralHosts(req.headers)) throw new TollbookError('invalid', SEVERAL_HOSTS);
      if (isForPage(req.headers)) throw new TollbookError('foreign', FOR_PAGE);
      const asked = readProxyAddress(url);
      if (req.method === 'GET' && asked.provider === OWN_LIMITS && asked.rest === '')
        return this.#showOwnLimits(req, res, asked);
      if (!provider) throw unknownProvider(asked.provider, providers);
      this.calls.requireOpen();
      if (isProbe(req, asked)) return void res.writeHead(200, NO_PAGE_HEADERS).end();
      const key = keys.find(readRequestSecret(req.headers, asked.queryKey), clock(), req.socket);
      if (key.provider !== provider.id) throw otherProvider(key, provider);
      const route = provider.route(req.method ?? 'GET', asked.rest);
      if (route.kind === 'none') throw new TollbookError(NO_ROUTE[route.status], route.reason);
      const address = withKnownQuery(asked, provider, res);
      const client = clients.find(req, res);
      const request: ProxyRequest = { id, req, res, address, provider, key, client };
      const lease = new BodyLease(bodies, loads.get(key.id), client);
      this.#reader.read(req, lease, (error, body) => this.#withBody(request, route, lease, error, body));
    } catch (error) {
      req.resume();
      this.#refuse(res, provider, error, id);
    }
  }

  /** Ends what has gone on for too long; called about once a second. */
  sweep(): void {
    const uptime = this.#deps.uptime();
    // Ledger time notices a step of the wall clock when it is read: a quiet gateway must notice it as well.
    this.#deps.now();
    this.#deps.bodies.sweep(uptime);
    this.#freeCalls.each((call) => call.sweep(uptime));
    this.calls.sweep();
  }

  #showOwnLimits(req: IncomingMessage, res: ServerResponse, { queryKey }: ProxyAddress): void {
    const { keys, clock, engine: ledger, now } = this.#deps;
    const key = keys.find(readRequestSecret(req.headers, queryKey), clock(), req.socket);
    this.#checkFree(req, key, 0);
    const body = renderOwnLimits(ledger.keyStandings({ ...key, keyId: key.id }, now()), key);
    res.writeHead(200, { ...NO_PAGE_HEADERS, ...OWN_ANSWER_HEADERS }).end(body);
  }

  #withBody(
    request: ProxyRequest,
    route: ProviderRoute,
    lease: BodyLease,
    error: TollbookError | null,
    body: Buffer,
  ): void {
    const releaseBody = (): void => lease.end();
    try {
      // A body is decoded in its own time; whoever left meanwhile is owed nothing.
      if (request.res.destroyed) return releaseBody();
      if (error) throw error;
      if (route.kind === 'free') return this.#forwardFree(request, route, body, releaseBody);
      const unread = { request, route, body, readyAt: this.#deps.uptime(), releaseBody };
      if (body.length > READ_AT_ONCE_BYTES_MAX) this.#readLarge(unread, route.readRequestInSlices(body));
      else this.calls.enter({ ...unread, facts: route.readRequest(body) });
    } catch (failure) {
      releaseBody();
      this.#refuseRequest(request, failure);
    }
  }

  /** Reads a large body, slice by slice where it takes longer; other calls go on in between, and the client may leave. */
  #readLarge(unread: Omit<ParsedRequest, 'facts'>, slices: Generator<undefined, RequestFacts, undefined>): void {
    const { request, releaseBody } = unread;
    this.#largeBodies.read({
      key: request.key.id,
      address: request.client?.name ?? null,
      slices,
      hasClientLeft: () => request.res.destroyed,
      abandoned: releaseBody,
      done: (facts) => this.calls.enter({ ...unread, facts }),
      failed: (failure) => {
        releaseBody();
        this.#refuseRequest(request, failure);
      },
    });
  }

  #forwardFree(request: ProxyRequest, route: FreeRoute, body: Buffer, releaseBody: () => void): void {
    const { req, res, address, provider, id } = request;
    const { uptime, limits } = this.#deps;
    this.#checkFree(req, request.key, body.length);
    const load = this.calls.requireShare(request.key);
    const target = this.#deps.upstreams.target(provider.url);
    const headers = requestHeaders(req.headers, provider, request.key.providerKey);
    const connection = target.lease(load, request.client);
    if (connection instanceof TollbookError) throw connection;
    res.once('close', releaseBody);
    const call = new FreeCall({
      res,
      until: uptime() + limits.freeCallMsMax,
      connection,
      deny: (status, what) => {
        const type = status === 504 ? 'upstream_timeout' : 'upstream_unreachable';
        deny(res, provider, { status, type, message: `${provider.name} ${what}.` }, id);
      },
    });
    load.calls += 1;
    this.#freeCalls.add(call);
    res.once('close', () => {
      load.calls -= 1;
      this.#freeCalls.remove(call);
    });
    target.pool.dispatch(
      {
        origin: target.origin,
        path: target.prefix + route.upstreamPath + address.query,
        method: req.method === 'POST' ? 'POST' : 'GET',
        headers,
        body: req.method === 'POST' ? body : null,
      },
      call,
    );
  }

  /** Who may use a key, and when, holds for what is free too; what it may spend doesn't. */
  #checkFree(req: IncomingMessage, key: GatewayKey, bodyBytes: number): void {
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

  /** Whom a limit holds back is remembered for a while. */
  #refuseRequest({ res, provider, key, id }: ProxyRequest, error: unknown): void {
    const facts = error instanceof TollbookError ? error.facts : undefined;
    if (facts)
      this.#deps.engine.refusals.note(
        { at: this.#deps.now(), callId: id, keyId: key.id, provider: provider.id },
        facts,
      );
    this.#refuse(res, provider, error, id);
  }

  #refuse(res: ServerResponse, provider: Provider | null, error: unknown, id: string): void {
    if (error instanceof CountRefusal) return this.#passRefusal(res, provider, error, id);
    const denial = toDenial(error, this.#deps.log, id);
    this.#deps.refused(provider?.id ?? null, denial.status);
    deny(res, provider, denial, id);
  }

  /** In the provider's own words: it is about the request, and cost nothing. */
  #passRefusal(
    res: ServerResponse,
    provider: Provider | null,
    { status, headers, body }: CountRefusal,
    id: string,
  ): void {
    this.#deps.refused(provider?.id ?? null, status);
    if (res.destroyed) return;
    res.writeHead(status, [...headers, 'content-length', String(body.length), 'x-svc-call-id', id]).end(body);
  }
}

const OWN_ANSWER_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' } as const;

/** So much is read in a few milliseconds, whatever it is made of; for longer no body may hold up the other calls. */
const READ_AT_ONCE_BYTES_MAX = 32_768;

const NO_ROUTE = { 400: 'invalid', 404: 'not_found', 405: 'method' } as const;

/** Claude Code asks with HEAD, without any key, whether somebody is there. */
function isProbe(req: IncomingMessage, { rest }: ProxyAddress): boolean {
  return req.method === 'HEAD' && (rest === '' || rest === '/api/hello');
}

function withKnownQuery(address: ProxyAddress, provider: Provider, res: ServerResponse): ProxyAddress {
  if (address.query === '') return address;
  const { query, warning } = knownParameters(address.query, provider);
  if (warning === null) return address;
  res.appendHeader('x-svc-warning', warning);
  return { ...address, query };
}

function unknownProvider(id: string, providers: ReadonlyMap<string, Provider>): TollbookError {
  const known = [...providers.keys()].join(', ');
  return new TollbookError('not_found', `There is no provider "${id.slice(0, 64)}" here. Known: ${known}.`);
}

function otherProvider(key: GatewayKey, provider: Provider): TollbookError {
  return new TollbookError(
    'wrong_secret',
    `The wrapped key "${key.name}" is for ${key.provider}; this is the address of ${provider.name}. Use /api/proxy/${key.provider}, or a key for ${provider.id}.`,
  );
}
