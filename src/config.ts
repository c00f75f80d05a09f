import { availableParallelism, hostname } from 'node:os';
import { type AddressRange, parseAddressRange } from './domain/identity/address-range.ts';
import { movedProvider } from './domain/identity/custom-provider.ts';
import { TollbookError } from './domain/errors.ts';
import { parseWebhookAllow, type WebhookAllow } from './domain/alerts/webhook-address.ts';
import { type ReadExport, readExportSettings } from './domain/telemetry/export-settings.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Every limit of the service, with its unit in its name. */
export const LIMITS = {
  /** Body of one request, as sent and as decoded. */
  bodyBytesMax: 32 * MIB,
  /** Bodies of all requests together; beyond it, 503. */
  bodiesInMemoryBytesMax: 256 * MIB,
  /** Minimum upload rate of a body above 64 KiB, measured over 10 s. It is 131 kbit/s; slow connections reach it. */
  bodyBytesPerSecondMin: 16 * KIB,
  /** Headers of one request. */
  headerBytesMax: 32 * KIB,
  /** Headers of one request, by number; half of what Node takes, so that the relay can add its own. */
  headersMax: 500,
  /** Time for a client to send its whole request. */
  requestMsMax: 5 * MINUTE,
  /** Time for a client to send its headers. */
  headersMsMax: 30 * SECOND,
  /** An idle connection of a client is closed after this. */
  clientIdleMsMax: 75 * SECOND,
  /** Open connections of clients. */
  connectionsMax: 10_000,
  /**
   * Open connections of one client address. Behind a trusted proxy: its open requests. A quarter of `connectionsMax`.
   * Can be changed by a setting.
   */
  connectionsPerAddressMax: 2_500,
  /** Unanswered requests of one connection. A client that sends more without waiting is refused. */
  openRequestsPerConnectionMax: 32,
  /** Open requests to the ledger thread, event streams included; of one client address a quarter. */
  relayedRequestsMax: 2_048,
  /** Listen backlog: connections that wait for the gateway to accept them; the system may have a smaller maximum. */
  connectionsWaitingMax: 4_096,
  /** Open connections to one provider. A key may use half, an address three quarters; with all in use, 503. */
  upstreamConnectionsMax: 2_048,
  /** Open WebSockets of one wrapped key. Each takes a connection to its provider. */
  socketsPerKeyMax: 500,
  /** A WebSocket without an open call is closed after this. */
  socketIdleMsMax: 15 * MINUTE,
  /** Messages of one WebSocket that wait for earlier responses. */
  socketMessagesWaitingMax: 16,
  /** One message of a provider on a WebSocket. A message of a client is a body. */
  socketAnswerBytesMax: 64 * MIB,
  /** Time to reach a provider. */
  upstreamConnectMsMax: 10 * SECOND,
  /** Silence of a provider, before its headers or between two pieces. */
  upstreamSilenceMsMax: 15 * MINUTE,
  /** A whole call, from its begin to its end. */
  callMsMax: 60 * MINUTE,
  /** Duration of a free request that the ledger does not record. */
  freeCallMsMax: 5 * MINUTE,
  /**
   * After a client disconnects, the gateway reads the response for this long. If a limit needs the exact cost, it reads
   * to the end.
   */
  drainMsMax: 10 * SECOND,
  /** The same, in further output. */
  drainNanoUsdMax: 50_000_000,
  /** Connections to PostgreSQL for records, calls and reports; a setting. */
  databaseConnectionsMax: 10,
  /** Time for PostgreSQL to answer when the service starts. */
  databaseWaitMsMax: 1 * MINUTE,
  /** Entries that go into the store in one transaction. */
  shipBatchEntriesMax: 500,
  /** First wait when the store does not take them; doubled each time. */
  shipRetryMs: 1 * SECOND,
  /** Shipped calls stay in the journal this long. */
  journalKeepMs: 24 * HOUR,
  /** Files with shipped calls that stay in the journal. */
  journalKeepBytesMax: 1_024 * MIB,
  /** Size of one journal file. When it is reached, a new file begins. */
  journalSegmentBytes: 4 * MIB,
  /** Journal size with unshipped calls: about five million calls. */
  journalBytesMax: 4 * 1_024 * MIB,
  /** Minimum free disk space for new calls. Checked at start, and before the journal recovers from a full disk. */
  journalRoomBytes: 256 * KIB,
  /** Calls begun and not ended. */
  callsInFlightMax: 20_000,
  /** Open calls and free requests of one wrapped key: half of a provider's connections; a setting. */
  callsPerKeyMax: 1_000,
  /** Open requests of one wrapped key, also refused and waiting ones, as a multiple of `callsPerKeyMax`. Above this, 429. */
  requestsPerCallMax: 2,
  /** Requests of one wrapped key that began and were not sent: refused, free and waiting ones. Others wait their turn. */
  unsentRequestsMax: 64,
  /** The count of unsent requests falls by this each second. Requests without a key count for their client address. */
  unsentRequestsPerSecond: 500,
  /** Refused requests of one client address that wait for their answer. Above this, they are answered immediately. */
  waitingRefusalsPerAddressMax: 1_000,
  /** Failed free calls of one wrapped key, not counting those that the provider answered. Above this, 429. */
  failedCallsPerKeyMax: 1_000,
  /** The count of failed calls falls by this each minute. */
  failedCallsPerMinute: 600,
  /** Refused calls of one wrapped key that have their own record. Further ones of that minute are recorded as sums. */
  refusalsPerKeyPerMinute: 60,
  /** The same, of all keys together. */
  refusalsPerMinute: 6_000,
  /** Time for calls to finish when the service closes. */
  closeGraceMsMax: 30 * SECOND,
  /** Requests of one access token; a setting. */
  tokenRequestsPerMinute: 600,
  /** Body of a management request. */
  apiBodyBytesMax: 1 * MIB,
  /** Body of a telemetry request, as sent. */
  telemetryBodyBytesMax: 4 * MIB,
  /** Body of a telemetry request after decompression. */
  telemetryDecodedBytesMax: 16 * MIB,
  /** Telemetry requests that are read at the same time; beyond it, 429. */
  telemetryRequestsMax: 8,
  /** Body of a request to a public endpoint, or without a token or session. */
  publicBodyBytesMax: 16 * KIB,
  /** Bodies of all management requests; one address may use at most half of what others leave free. */
  apiBodiesBytesMax: 32 * MIB,
  /** Time for a client to send the body of a management request. */
  apiBodyMsMax: 60 * SECOND,
  /** Body of a request to the tools; what they take is short. */
  toolBodyBytesMax: 64 * KIB,
  /** Entries on one page of the list. */
  entriesPageMax: 500,
  /** Entries that an export reads at a time. */
  exportPageEntries: 2_500,
  /** Entries that a filter checks for one page. A page may have few entries although more pages follow. */
  entriesScanMax: 50_000,
  /** Entries that one usage query sums directly when no roll-up has the answer. */
  reportEntriesMax: 1_000_000,
  /** Different values, for instance sessions, that one usage query sums apart. */
  reportValuesMax: 100_000,
  /** Rows of one export. */
  exportRowsMax: 5_000_000,
  /** Time for a provider to say whether a key is good. */
  keyTestMsMax: 5 * SECOND,
  /** Time for the answer to a test call of a provider. */
  providerTestMsMax: MINUTE,
  /** Entries that retention deletes in one transaction. */
  pruneRowsMax: 5_000,
  /** Calls that wait for their export by OTLP; further ones are not exported. */
  exportQueueCallsMax: 8_192,
  /** Models with separate metrics; all others share one. */
  metricModelsMax: 500,
  /** Days that entries are kept; roll-ups are kept forever. Each workspace has its own setting. */
  retentionDaysDefault: 400,
} as const;

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Public address shown to users, without a trailing slash. */
  readonly baseUrl: string;
  readonly dataDir: string;
  /** Address of a PostgreSQL database; null = a SQLite file in the data folder. */
  readonly databaseUrl: string | null;
  /** Address of a ClickHouse database that has the entries; null = they are where all else is. */
  readonly clickhouseUrl: string | null;
  /** Connections to the PostgreSQL database at most. */
  readonly databaseConnectionsMax: number;
  /** Gateway processes that share the port; 1 = one process does all. */
  readonly workers: number;
  /** Name of this node, for people. */
  readonly nodeName: string;
  /** Master secret; null = the one in the data folder. */
  readonly secret: string | null;
  /** Master secret that a rotation changes to; null = not set. */
  readonly nextSecret: string | null;
  readonly journalSync: 'normal' | 'full';
  /** Addresses that replace those of providers, by provider id. The ledger checks the ids. */
  readonly providerUrls: Readonly<Record<string, string>>;
  readonly logLevel: string;
  readonly tokenRequestsPerMinute: number;
  /** Calls that one wrapped key may have open. */
  readonly callsPerKeyMax: number;
  /** Connections that one client address may have open; behind a trusted proxy, requests. */
  readonly connectionsPerAddressMax: number;
  /** Seconds for which a service that closes still takes calls, so that load balancers notice; 0 = it stops immediately. */
  readonly leaveSeconds: number;
  /** Address of price data to refresh from in the background; null = off. */
  readonly pricesUrl: string | null;
  /** Read tags from the W3C `baggage` header too. */
  readonly baggageTags: boolean;
  /** Proxies in front of the gateway whose `x-forwarded-for` is trusted. */
  readonly trustedProxies: readonly AddressRange[];
  /** Host names by which the service may be addressed, beyond its base address; in lower case. */
  readonly allowedHosts: readonly string[];
  /** Targets that webhooks may reach in addition to public addresses over https. */
  readonly webhookAllow: WebhookAllow;
  /** The mail server that e-mail webhooks go through; null = there is none. */
  readonly mail: { readonly url: string; readonly from: string } | null;
  /** Export of calls by OTLP. */
  readonly callExport: ReadExport;
}

/** Settings of what asks a service from outside: the tool server and uploads of local sessions. */
export interface ToolSettings {
  /** Address of the service, without a trailing slash. */
  readonly apiUrl: string;
  /** Access token; null = none was given. */
  readonly apiKey: string | null;
  /** Upload local sessions when a tool is called. */
  readonly autoSync: boolean;
  /** false = sessions of Codex are never uploaded. */
  readonly codexSync: boolean;
}

/** Throws a `TollbookError` (`invalid`) that names the variable. */
export function readToolSettings(env: Env): ToolSettings {
  return Object.freeze({
    apiUrl: readBase('SVC_API_URL', env['SVC_API_URL'] || baseUrlOf(env)),
    apiKey: readKey(env['SVC_API_KEY']),
    autoSync: readSwitch('SVC_AUTO_SYNC', env['SVC_AUTO_SYNC'] || 'false'),
    codexSync: readSwitch('SVC_CODEX_AUTO_SYNC', env['SVC_CODEX_AUTO_SYNC'] || 'true'),
  });
}

/** A host passes `${SVC_API_KEY}` unchanged if it does not know that name or has no value for it. */
function readKey(text = ''): string | null {
  const key = text.trim();
  return key === '' || key.startsWith('${') ? null : key;
}

const SECRET_CHARS_MIN = 16;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/**
 * Reads the settings from the environment and freezes them. The only reader of the environment.
 * Throws a `TollbookError` (`invalid`) that names the variable.
 */
export function readConfig(env: Env): Config {
  const providerUrls: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const id = OTHER_ADDRESSES.has(name) ? null : movedProvider(name);
    if (id !== null && value) providerUrls[id] = readBase(name, value);
  }
  return Object.freeze({
    host: hostOf(env),
    port: readPort(env),
    baseUrl: baseUrlOf(env),
    dataDir: env['SVC_DATA_DIR'] || './data',
    databaseUrl: env['SVC_DATABASE_URL'] || null,
    clickhouseUrl: env['SVC_CLICKHOUSE_URL'] || null,
    databaseConnectionsMax: readPositive(
      'SVC_DATABASE_POOL',
      env['SVC_DATABASE_POOL'] || String(LIMITS.databaseConnectionsMax),
    ),
    workers: readWorkers(env),
    nodeName: readNodeName(env['SVC_NODE_NAME'] || hostname()),
    secret: readMasterSecret('SVC_SECRET', env['SVC_SECRET'] || null),
    nextSecret: readMasterSecret('SVC_SECRET_NEXT', env['SVC_SECRET_NEXT'] || null),
    journalSync: readChoice('SVC_JOURNAL_SYNC', env['SVC_JOURNAL_SYNC'] || 'normal', ['normal', 'full'] as const),
    providerUrls: Object.freeze(providerUrls),
    logLevel: readChoice('SVC_LOG_LEVEL', env['SVC_LOG_LEVEL'] || 'info', LOG_LEVELS),
    tokenRequestsPerMinute: readPositive(
      'SVC_TOKEN_REQUESTS_PER_MINUTE',
      env['SVC_TOKEN_REQUESTS_PER_MINUTE'] || String(LIMITS.tokenRequestsPerMinute),
    ),
    callsPerKeyMax: readPositive('SVC_CALLS_PER_KEY', env['SVC_CALLS_PER_KEY'] || String(LIMITS.callsPerKeyMax)),
    connectionsPerAddressMax: readPositive(
      'SVC_CONNECTIONS_PER_ADDRESS',
      env['SVC_CONNECTIONS_PER_ADDRESS'] || String(LIMITS.connectionsPerAddressMax),
    ),
    leaveSeconds: readLeaveSeconds(env['SVC_LEAVE_SECONDS'] || '0'),
    pricesUrl: env['SVC_PRICES_URL'] ? readUrl('SVC_PRICES_URL', env['SVC_PRICES_URL']) : null,
    baggageTags: readSwitch('SVC_BAGGAGE_TAGS', env['SVC_BAGGAGE_TAGS'] || 'false'),
    trustedProxies: readRanges('SVC_TRUSTED_PROXIES', env['SVC_TRUSTED_PROXIES'] ?? ''),
    allowedHosts: readHosts('SVC_ALLOWED_HOSTS', env['SVC_ALLOWED_HOSTS'] ?? ''),
    webhookAllow: parseWebhookAllow('SVC_WEBHOOK_ALLOW', env['SVC_WEBHOOK_ALLOW'] ?? ''),
    mail: readMail(env),
    callExport: readExportSettings(env, ownOrigins(env)),
  });
}

/** Settings in the form of a provider's address that are none. */
const OTHER_ADDRESSES: ReadonlySet<string> = new Set([
  'SVC_BASE_URL',
  'SVC_API_URL',
  'SVC_DATABASE_URL',
  'SVC_CLICKHOUSE_URL',
  'SVC_SMTP_URL',
  'SVC_PRICES_URL',
]);

type Env = Readonly<Record<string, string | undefined>>;

function hostOf(env: Env): string {
  return env['SVC_HOST'] || '127.0.0.1';
}

function baseUrlOf(env: Env): string {
  const host = hostOf(env);
  const shownHost = host === '127.0.0.1' || host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return readBase('SVC_BASE_URL', env['SVC_BASE_URL'] || `http://${shownHost}:${readPort(env)}`);
}

/** Origins of addresses of this service, as far as its settings tell. */
function ownOrigins(env: Env): string[] {
  const hosts = ['localhost', '127.0.0.1', '[::1]', hostOf(env)];
  const urls = [baseUrlOf(env), ...hosts.map((host) => `http://${host}:${readPort(env)}`)];
  return urls.map((url) => URL.parse(url)?.origin ?? url);
}

function readPort(env: Env): number {
  const port = readCount('SVC_PORT', env['SVC_PORT'] || '4700');
  if (port > 65_535) throw new TollbookError('invalid', `SVC_PORT is ${port}; a port is at most 65535.`, 'SVC_PORT');
  return port;
}

function readCount(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new TollbookError('invalid', `${name} is "${text}"; it must be a whole number.`, name);
  return Number(text);
}

const WORKERS_MAX = 32;
/** Cores that `auto` leaves to the ledger and the system. */
const CORES_LEFT = 1;

function readWorkers(env: Env): number {
  const name = 'SVC_WORKERS';
  const text = env[name] || '1';
  const database = env['SVC_DATABASE_URL'] ? 'SVC_DATABASE_URL' : null;
  if (text === 'auto') {
    const cores = availableParallelism();
    return database !== null || cores <= 2 ? 1 : Math.min(cores - CORES_LEFT, WORKERS_MAX);
  }
  const workers = readPositive(name, text);
  if (workers > WORKERS_MAX)
    throw new TollbookError('invalid', `${name} is ${workers}; it is at most ${WORKERS_MAX}.`, name);
  if (workers > 1 && database !== null)
    throw new TollbookError(
      'invalid',
      `${name} is ${workers}, and ${database} is set. Workers share a SQLite ledger. With PostgreSQL, start several services instead, each with its own SVC_DATA_DIR and SVC_PORT.`,
      name,
    );
  return workers;
}

const NODE_NAME_CHARS_MAX = 100;

function readNodeName(text: string): string {
  const name = text.trim();
  if (name.length > 0 && name.length <= NODE_NAME_CHARS_MAX) return name;
  const sentence = `SVC_NODE_NAME needs 1 to ${NODE_NAME_CHARS_MAX} characters.`;
  throw new TollbookError('invalid', sentence, 'SVC_NODE_NAME');
}

/** All provider keys are sealed with it. */
function readMasterSecret(name: string, text: string | null): string | null {
  if (text !== null && text.length < SECRET_CHARS_MIN)
    throw new TollbookError(
      'invalid',
      `${name} is shorter than ${SECRET_CHARS_MIN} characters; make one with: openssl rand -base64 32`,
      name,
    );
  return text;
}

/** More would only delay an update. */
const LEAVE_SECONDS_MAX = 60;

function readLeaveSeconds(text: string): number {
  const name = 'SVC_LEAVE_SECONDS';
  const seconds = readCount(name, text);
  if (seconds > LEAVE_SECONDS_MAX)
    throw new TollbookError('invalid', `${name} is ${seconds}; it must be at most ${LEAVE_SECONDS_MAX}.`, name);
  return seconds;
}

function readPositive(name: string, text: string): number {
  const count = readCount(name, text);
  if (count === 0) throw new TollbookError('invalid', `${name} is 0; it must be at least 1.`, name);
  return count;
}

function readMail(env: Env): Config['mail'] {
  const text = env['SVC_SMTP_URL'];
  if (!text) return null;
  const url = URL.parse(text);
  // The address may hold a password.
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new TollbookError(
      'invalid',
      'SVC_SMTP_URL is no address of a mail server; write for instance smtps://user:password@mail.example.com.',
      'SVC_SMTP_URL',
    );
  return { url: text, from: env['SVC_MAIL_FROM'] || `Tollbook <tollbook@${url.hostname}>` };
}

function readUrl(name: string, text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TollbookError('invalid', `${name} is "${text}"; it must be an http or https address.`, name);
  return text.replace(/\/+$/, '');
}

/** An address that paths are put behind. It is not repeated in the error: it may hold a password. */
function readBase(name: string, text: string): string {
  const url = readUrl(name, text);
  if (!/^https?:\/\/[^/?#@\\\s][^?#@\\\s]*$/i.test(url))
    throw new TollbookError('invalid', `${name} must be an address without user, query and fragment.`, name);
  return url;
}

/** Separated by commas; '' = none. */
function readRanges(name: string, text: string): AddressRange[] {
  const written = text.split(',').filter((part) => part.trim() !== '');
  return written.map((part) => {
    const range = parseAddressRange(part);
    if (range) return range;
    throw new TollbookError(
      'invalid',
      `${name} has "${part.trim()}"; write addresses and ranges such as 127.0.0.1, 10.0.0.0/8, separated by commas.`,
      name,
    );
  });
}

/** Names without ports, separated by commas; '' = none. */
function readHosts(name: string, text: string): string[] {
  const written = text.split(',').map((part) => part.trim().toLowerCase());
  return written.filter(Boolean).map((part) => {
    if (/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/.test(part)) return part.replace(/\.$/, '');
    throw new TollbookError(
      'invalid',
      `${name} has "${part}"; write host names without ports, such as tollbook.lan, separated by commas.`,
      name,
    );
  });
}

function readSwitch(name: string, text: string): boolean {
  return readChoice(name, text, ['true', 'false'] as const) === 'true';
}

function readChoice<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (!found) throw new TollbookError('invalid', `${name} is "${text}"; choose one of ${choices.join(', ')}.`, name);
  return found;
}
