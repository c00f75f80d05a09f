import type { ExportCounts } from '../domain/telemetry/export-counts.ts';
import type { ListedNode } from '../storage/node-amounts.ts';
import type { NodeCounts } from '../storage/records/nodes.ts';
import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Registry } from 'prom-client';
import { LIMITS } from '../config.ts';
import type { ConnectionState } from '../domain/reconciliation/coverage.ts';
import type { AddressRange } from '../domain/identity/address-range.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import type { CallEnd } from '../domain/usage/call.ts';
import type { ErrorType } from '../domain/errors.ts';
import type { Journal } from '../journal/journal.ts';
import type { LimitsEngine } from '../limits/limits.ts';
import type { Clock, Uptime } from '../lib/clock.ts';
import { createServer } from '../lib/http/node-http.ts';
import type { MetricRows, WorkerMetrics } from '../ipc/worker-messages.ts';
import type { Log } from '../lib/log.ts';
import { SharedRefresh } from '../lib/concurrency/shared-refresh.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import { PROXY_PREFIX } from './proxy/address.ts';
import { BodyBudget } from './proxy/body-budget.ts';
import { CallAdmission } from './proxy/admission.ts';
import type { ProxiedCall } from './proxy/call.ts';
import { ProxiedCalls } from './proxy/calls.ts';
import { ClientShares } from './proxy/client-shares.ts';
import { TokenCounts } from './proxy/count-tokens.ts';
import { RequestDenier } from './proxy/deny.ts';
import { namesSeveralHosts, NO_PAGE_HEADERS, SEVERAL_HOSTS } from './proxy/headers.ts';
import { KeyLoads } from './proxy/key-loads.ts';
import { RefusalLog } from './proxy/refusal-log.ts';
import { RateWatch } from './proxy/rate-watch.ts';
import { RequestPace } from './proxy/request-pace.ts';
import type { KeyRing } from './proxy/keys.ts';
import type { KnownHosts } from './proxy/known-hosts.ts';
import type { GatewayReadings } from './prometheus.ts';
import { GatewayMetrics } from './metrics.ts';
import { ProviderProxy } from './proxy/proxy.ts';
import { LedgerRelay } from './ledger-relay.ts';
import { OpenRequests } from './open-requests.ts';
import { UpgradeResponse, wantsSocket } from './proxy/upgrade-response.ts';
import { UpstreamPools } from './proxy/upstream.ts';

const SWEEP_MS = 1_000;
const CLOSE_POLL_MS = 50;
const REFUSED_LINGER_MS = 1_000;
/** Interval at which Node looks for late requests. */
const LATE_CHECK_MS = 5_000;

/** Asked by load balancers: 200 while this node takes calls … */
const CALLS_PATH = '/callz';
/** … and also those under limits. */
const LIMITED_CALLS_PATH = '/callz/limited';

export interface GatewayParts {
  readonly journal: Journal;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly prices: Pick<PriceBook, 'resolve' | 'between' | 'contracts'>;
  /** Wrapped keys, with changes from before the gateway opened. */
  readonly keys: KeyRing;
  readonly engine: LimitsEngine;
  /** Window time. */
  readonly now: Clock;
  /** Proxies whose `x-forwarded-for` is trusted. */
  readonly trustedProxies: readonly AddressRange[];
  /** Address of the gateway for clients. */
  readonly baseUrl: string;
  /** Checks the host of every request except proxied calls, which need a wrapped key. */
  readonly hosts: Pick<KnownHosts, 'refusal'>;
  readonly callsPerKeyMax: number;
  /** Maximum number of connections to one provider; absent = the service's default. */
  readonly upstreamConnectionsMax?: number;
  readonly connectionsPerAddressMax: number;
  readonly clock: Clock;
  readonly uptime: Uptime;
  readonly log: Log;
  readonly newCallId: () => string;
  readonly baggageTags: boolean;
  /** Socket of the ledger thread; null = none, and only the proxy answers. */
  readonly webSocket: string | null;
  /** Last `end_seq` in the ledger. */
  readonly shippedMark: () => number;
  /** Why ended calls don't reach the ledger; null = they do. */
  readonly ledgerProblem: () => string | null;
  /** Messages waiting for webhooks, as last reported by the ledger. */
  readonly deliveriesWaiting: () => number;
  readonly nodes: () => NodeCounts;
  /** null = calls are not exported. */
  readonly exported: () => ExportCounts | null;
  /** The nodes on a shared database. */
  readonly listedNodes: () => readonly ListedNode[];
  readonly connections: () => readonly ConnectionState[];
  /** Asks all workers for their metrics; null = there is one gateway. */
  readonly gatherMetrics?: (() => Promise<readonly WorkerMetrics[]>) | null;
  /** Raises an alert. */
  readonly raise: (alert: Alert) => void;
  /** Runs after each call's end is in the journal. */
  readonly ended: (call: ProxiedCall, end: CallEnd) => void;
  /** Runs after refused calls were handed to the journal. */
  readonly refused: () => void;
}

/** The public HTTP server: the proxy, probes for operators, and a relay for everything else. */
export interface GatewayServer {
  readonly server: Server;
  readMetrics(): Promise<readonly MetricRows[]>;
  /** Says that it closes to load balancers that ask, and takes calls as before. */
  leave(): void;
  /** Stops accepting, lets calls finish for at most `graceMs`, then interrupts the rest. Returns their number. */
  close(graceMs: number): Promise<number>;
}

export function openGatewayServer(parts: GatewayParts): GatewayServer {
  const bodies = new BodyBudget(LIMITS);
  const clients = new ClientShares(parts);
  const upstreams = new UpstreamPools({ ...LIMITS, ...parts });
  let leaving = false;
  const metrics = new GatewayMetrics(LIMITS.metricModelsMax);
  const readings: GatewayReadings = {
    inFlight: () => calls.inFlight,
    waiting: () => parts.engine.waiting,
    limitCounters: () => parts.engine.counters,
    bodyBytes: () => bodies.bytes + (relay?.bodyBytes ?? 0),
    journalLag: () => parts.journal.endSeq - parts.shippedMark(),
    lostRefusals: () => parts.journal.lostRefusals,
    healthy: () => parts.journal.problem === null,
    ledgerHealthy: () => parts.ledgerProblem() === null,
    deliveriesWaiting: parts.deliveriesWaiting,
    nodes: parts.nodes,
    exported: parts.exported,
    listedNodes: parts.listedNodes,
    connections: parts.connections,
    now: parts.now,
  };
  const registry = lazyRegistry(readings, metrics);
  const metricsPage = openMetricsPage(registry, parts.gatherMetrics ?? null);
  const { proxy, calls, refusals } = createProxy(parts, { bodies, clients, upstreams, metrics });
  const relay = parts.webSocket === null ? null : new LedgerRelay({ ...parts, socketPath: parts.webSocket, clients });
  const openRequests = new OpenRequests(LIMITS.openRequestsPerConnectionMax);
  const server = createServer(SERVER_OPTIONS, (req, res) => {
    const verdict = openRequests.take(req, res);
    if (verdict === 'ignore') return;
    if (verdict === 'refuse') return refusePipelined(res);
    // The next request of this client goes to another node.
    if (leaving) res.shouldKeepAlive = false;
    const url = req.url ?? '/';
    if (url.startsWith(PROXY_PREFIX)) return proxy.handle(req, res);
    if (namesSeveralHosts(req.headers)) return sendHostRefusal(res, 400, SEVERAL_HOSTS_BODY);
    if (answerProbe(url, res, parts, leaving)) return;
    const unknown = parts.hosts.refusal(req.headers.host);
    if (unknown) return sendHostRefusal(res, unknown.status, unknown.body);
    if (url === '/readyz')
      return sendReadiness(res, leaving ? CLOSING : (parts.journal.problem ?? parts.ledgerProblem()));
    if (url === '/metrics') return void showMetrics(metricsPage, res);
    if (!relay) return sendText(res, 404, 'Only the proxy is served here.\n');
    relay.handle(req, res);
  });
  configure(server, clients, proxy);
  const sweeper = startSweeping(proxy, relay, parts.uptime);
  return {
    server,
    readMetrics: async () => await (await registry()).getMetricsAsJSON(),
    leave() {
      leaving = true;
      proxy.leaveSockets();
    },
    async close(graceMs) {
      leaving = true;
      calls.stopAdmitting();
      stopAccepting(server, proxy, relay);
      const broken = await finishCalls(calls, server, parts.uptime, graceMs);
      refusals.flush();
      clearInterval(sweeper);
      proxy.terminateSockets();
      server.closeAllConnections();
      await upstreams.close();
      return broken;
    },
  };
}

function startSweeping(proxy: ProviderProxy, relay: LedgerRelay | null, uptime: Uptime): NodeJS.Timeout {
  return setInterval(() => {
    proxy.sweep();
    relay?.sweep(uptime());
  }, SWEEP_MS);
}

function stopAccepting(server: Server, proxy: ProviderProxy, relay: LedgerRelay | null): void {
  server.close();
  proxy.leaveSockets();
  relay?.endStreams();
  server.closeIdleConnections();
}

interface SharedState {
  readonly bodies: BodyBudget;
  readonly clients: ClientShares;
  readonly upstreams: UpstreamPools;
  readonly metrics: GatewayMetrics;
}

/** Connects the parts of the proxy: admission, calls, and the handler of requests. */
function createProxy(parts: GatewayParts, { bodies, clients, upstreams, metrics }: SharedState) {
  const { engine, journal, keys, prices, providers, now, clock, uptime, log, trustedProxies } = parts;
  const limits = { ...LIMITS, callsPerKeyMax: parts.callsPerKeyMax };
  const loads = new KeyLoads();
  const pace = new RequestPace(uptime);
  const counts = new TokenCounts({ bodies, loads, uptime, log });
  const denier = new RequestDenier({
    log,
    onRefused: (provider, status) => metrics.refused(provider, status),
  });
  const refusals = new RefusalLog({ journal, now, newCallId: parts.newCallId, written: parts.refused });
  const calls = new ProxiedCalls({
    admission: new CallAdmission({ engine, clock, now, uptime, prices, counts, upstreams }),
    denier,
    engine,
    journal,
    keys,
    loads,
    pace,
    prices,
    rates: new RateWatch(parts.raise),
    refusals,
    upstreams,
    limits,
    clock,
    now,
    uptime,
    log,
    baggageTags: parts.baggageTags,
    trustedProxies,
    ended: (call, end) => {
      metrics.ended(call.begin, end);
      parts.ended(call, end);
    },
    departed: (provider, seconds) => metrics.departed(provider, seconds),
  });
  const proxy = new ProviderProxy({
    calls,
    denier,
    engine,
    providers,
    keys,
    clients,
    loads,
    pace,
    bodies,
    upstreams,
    limits,
    clock,
    now,
    uptime,
    trustedProxies,
    baseUrl: parts.baseUrl,
    newCallId: parts.newCallId,
  });
  return { proxy, calls, refusals };
}

/** Shortest time between two renderings of the metrics. Requests in between wait for the next. */
const METRICS_REST_MS = 100;

const SERVER_OPTIONS = {
  maxHeaderSize: LIMITS.headerBytesMax,
  requestTimeout: LIMITS.requestMsMax,
  headersTimeout: LIMITS.headersMsMax,
  // By default, Node looks for late requests only every 30 s.
  connectionsCheckingInterval: LATE_CHECK_MS,
  keepAliveTimeout: LIMITS.clientIdleMsMax,
  noDelay: true,
  // Repeated headers count: by default, Node drops them, and a second key would go unnoticed.
  joinDuplicateHeaders: true,
  shouldUpgradeCallback: wantsSocket,
} as const;

function configure(server: Server, clients: ClientShares, proxy: ProviderProxy): void {
  server.maxConnections = LIMITS.connectionsMax;
  server.maxHeadersCount = LIMITS.headersMax;
  server.on('connection', (socket: Socket) => {
    if (!clients.connect(socket)) turnAway(socket);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    refuseConnection(socket, ...(CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED));
  });
  server.on('upgrade', (req, socket, head) => {
    if (socket instanceof Socket) proxy.handle(req, new UpgradeResponse(req, socket, head));
    else socket.destroy();
  });
  // By default, Node closes the connection without an answer.
  server.on('connect', (_req, socket) => refuseConnection(socket, ...NO_TUNNEL));
}

const NO_PAGE_LINES = Object.entries(NO_PAGE_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** Refuses a connection whose data never becomes a request. */
function refuseConnection(socket: Duplex, status: string, sentence: string): void {
  socket.end(rawRefusal(status, 'invalid', sentence));
  // The client may never close its side. Closing immediately would lose the answer if the client is still sending.
  setTimeout(() => socket.destroy(), REFUSED_LINGER_MS).unref();
}

function rawRefusal(status: string, type: ErrorType, sentence: string): string {
  const body = JSON.stringify({ error: sentence, type });
  return `HTTP/1.1 ${status}\r\n${NO_PAGE_LINES}Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Refuses a request of a client that sends many without waiting for answers. Earlier ones are answered first. */
function refusePipelined(res: ServerResponse): void {
  const error = `This connection has ${LIMITS.openRequestsPerConnectionMax} requests without an answer, as many as one may have. Wait for answers, or open more connections.`;
  res.writeHead(503, { ...NO_PAGE_HEADERS, 'content-type': 'application/json', connection: 'close' });
  res.end(JSON.stringify({ error, type: 'unavailable' }));
}

/** Refuses a new connection before Node reads any request from it. */
function turnAway(socket: Socket): void {
  socket.write(rawRefusal('503 Service Unavailable', 'unavailable', TOO_MANY));
  socket.destroy();
}

const TOO_MANY =
  'This address has as many open connections as one address may have; reuse them, or set SVC_CONNECTIONS_PER_ADDRESS higher.';

const SEVERAL_HOSTS_BODY = JSON.stringify({ error: SEVERAL_HOSTS, type: 'invalid' });

function sendHostRefusal(res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, { ...NO_PAGE_HEADERS, 'content-type': 'application/json' }).end(body);
}

const MALFORMED = ['400 Bad Request', 'This is not a well-formed HTTP request.'] as const;
const NO_TUNNEL = ['405 Method Not Allowed', 'CONNECT is not supported: the gateway opens no tunnels.'] as const;

const CLIENT_ERRORS: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `The request's headers are larger than ${LIMITS.headerBytesMax / 1024} KiB, or more than ${LIMITS.headersMax} in number.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};

async function finishCalls(calls: ProxiedCalls, server: Server, uptime: Uptime, graceMs: number): Promise<number> {
  const until = uptime() + graceMs;
  const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, CLOSE_POLL_MS));
  while (calls.inFlight > 0 && uptime() < until) {
    await wait();
    server.closeIdleConnections();
  }
  const broken = calls.inFlight;
  calls.abortAll();
  while (calls.inFlight > 0 && uptime() < until + graceMs) await wait();
  return broken;
}

/** Answers the questions of load balancers and platforms, for any host. Returns false for other requests. */
function answerProbe(
  url: string,
  res: ServerResponse,
  { journal, engine }: Pick<GatewayParts, 'journal' | 'engine'>,
  leaving: boolean,
): boolean {
  if (url === '/healthz') sendText(res, 200, 'ok\n');
  else if (url === CALLS_PATH) sendReadiness(res, leaving ? CLOSING : recordingProblem(journal));
  else if (url === LIMITED_CALLS_PATH)
    sendReadiness(res, leaving ? CLOSING : (recordingProblem(journal) ?? leaseProblem(engine)));
  else return false;
  return true;
}

const CLOSING = 'The service is closing.';

/** Without the details, which name places on this machine: requests for any host get this answer. */
function recordingProblem({ problem }: Journal): string | null {
  return problem === null ? null : 'Calls can not be recorded. /readyz has the reason.';
}

function leaseProblem(engine: LimitsEngine): string | null {
  if (!engine.isAuthorityAway) return null;
  return 'The database is away, and what this node had of limits has ended. Calls without a blocking limit go on.';
}

function sendReadiness(res: ServerResponse, problem: string | null): void {
  sendText(res, problem === null ? 200 : 503, `${problem ?? 'ready'}\n`);
}

function sendText(res: ServerResponse, status: number, text: string): void {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  res.writeHead(status, { ...NO_PAGE_HEADERS, ...headers }).end(text);
}

/** Loads the metrics library at the first request: without it the service uses 5 MB less. */
function lazyRegistry(readings: GatewayReadings, metrics: GatewayMetrics): () => Promise<Registry> {
  let opened: Promise<Registry> | null = null;
  const open = async (): Promise<Registry> => {
    const { PrometheusMetrics } = await import('./prometheus.ts');
    return new PrometheusMetrics(readings, metrics).registry;
  };
  return () => (opened ??= open());
}

async function mergeWorkers(all: readonly WorkerMetrics[]): Promise<Registry> {
  const { mergeMetrics } = await import('./prometheus.ts');
  return mergeMetrics(all);
}

interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

/**
 * Shares renderings among requests: anyone may request metrics, and rendering takes milliseconds of the thread that
 * serves calls.
 */
function openMetricsPage(
  registry: () => Promise<Registry>,
  gather: (() => Promise<readonly WorkerMetrics[]>) | null,
): SharedRefresh<MetricsPage> {
  const make = async (): Promise<MetricsPage> => {
    const opened = gather ? await mergeWorkers(await gather()) : await registry();
    return { contentType: opened.contentType, text: await opened.metrics() };
  };
  return new SharedRefresh(make, () => new Promise((resolve) => setTimeout(resolve, METRICS_REST_MS).unref()));
}

async function showMetrics(page: SharedRefresh<MetricsPage>, res: ServerResponse): Promise<void> {
  try {
    const { contentType, text } = await page.ask();
    res.writeHead(200, { ...NO_PAGE_HEADERS, 'content-type': contentType }).end(text);
  } catch (error) {
    sendText(res, 500, `The metrics could not be read (${String(error)}).\n`);
  }
}
