import { NO_CONTEXT } from '../src/domain/usage/call-context.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../src/ledger/ledger.ts';
import type { Ledger, LedgerOptions } from '../src/ledger/ledger.ts';
import type { MessageToGateway } from '../src/ipc/messages.ts';
import { readConfig } from '../src/config.ts';
import type { Entry } from '../src/domain/usage/call.ts';
import type { RefusedCall } from '../src/domain/usage/refused-call.ts';
import type { CounterStatus } from '../src/domain/limits/limit.ts';
import { priceUsage } from '../src/domain/pricing/pricing.ts';
import { fromPrices } from '../src/domain/pricing/provenance.ts';
import { NO_TERMS } from '../src/domain/usage/usage.ts';
import type { Usage } from '../src/domain/usage/usage.ts';
import { buildRequest } from '../src/contract/client.ts';
import type { RouteResponse, RouteKey, RouteRequest } from '../src/contract/routes.ts';
import { createLog } from '../src/lib/log.ts';
import { HOUR_MS } from '../src/domain/time/units.ts';
import { QUICK_HASHING } from './support/quick-hashing.ts';

export const NOW = Date.parse('2026-03-15T12:00:00.000Z');
/** The test provider accepts every key but this one. */
export const BAD_KEY = 'sk-bad-provider-key-00000000';

export interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** An access token; absent = the owner asks through the control socket, null = nobody in particular asks. */
  readonly token?: string | null;
}

/** The real ledger with its API in a temporary folder, at a fixed time. */
export interface TestLedger {
  readonly ledger: Ledger;
  readonly folder: string;
  readonly env: Record<string, string>;
  /** What the gate was told. */
  readonly sentToGateway: MessageToGateway[];
  /** What the gate says of how limits stand. */
  readonly standings: CounterStatus[];
  readonly logged: string[];
  readonly time: { now: number };
  ask(path: string, asked?: Asked): Promise<Response>;
  /** The answer's body, which must not be an error. */
  json<T>(path: string, asked?: Asked): Promise<T>;
  /** Sends a request of the contract, as the owner. */
  send<Key extends RouteKey>(key: Key, parts: RouteRequest<Key>): Promise<Response>;
  /** Sends a request of the contract. Returns its answer, which must not be an error. */
  call<Key extends RouteKey>(
    key: Key,
    ...[parts]: Partial<RouteRequest<Key>> extends RouteRequest<Key> ? [RouteRequest<Key>?] : [RouteRequest<Key>]
  ): Promise<RouteResponse<Key>>;
  createToken(scopes?: readonly string[], workspace?: string): Promise<string>;
  createKey(name: string, workspace?: string): Promise<{ id: string; key: string }>;
  /** Entries of calls, as the gate would have shipped them. */
  ship(entries: readonly Entry[]): Promise<void>;
  /** Calls that limits refused. */
  refuse(refused: readonly RefusedCall[]): Promise<void>;
  /** A call of a model that is priced, unless something else is said. */
  entry(changes?: Partial<Entry>): Entry;
  close(): Promise<void>;
}

export async function openTestLedger(
  env: Readonly<Record<string, string>> = {},
  options: Pick<LedgerOptions, 'site'> & Partial<Pick<LedgerOptions, 'clock'>> = {},
): Promise<TestLedger> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-test-'));
  const provider = await startModelList();
  const settings = { SVC_DATA_DIR: join(folder, 'data'), SVC_ANTHROPIC_URL: provider.url, ...env };
  const sentToGateway: MessageToGateway[] = [];
  const standings: CounterStatus[] = [];
  const logged: string[] = [];
  const time = { now: NOW };
  const ledger = await openLedger({
    clock: () => time.now,
    hashing: QUICK_HASHING,
    ...options,
    config: readConfig(settings),
    log: createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } }),
    lookup: (host) => Promise.resolve([host.endsWith('.private.example') ? '10.0.0.1' : '93.184.215.14']),
    sendToGateway(message) {
      if (message.type === 'ask-applied')
        return queueMicrotask(() => ledger.limits.answered({ type: 'answer-applied', question: message.question }));
      sentToGateway.push(message);
      if (message.type !== 'ask-limits') return;
      const { question, limits } = message;
      const own = standings.filter(({ limit }) => limits.includes(limit.id));
      queueMicrotask(() => ledger.limits.answered({ type: 'answer-limits', question, standings: own }));
    },
  });
  const ask = async (path: string, { method = 'GET', body, headers = {}, token }: Asked = {}): Promise<Response> => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const request = new Request(`http://tollbook${path}`, {
      method,
      headers: {
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    });
    return ledger.fetch(request, { caller: token === undefined ? 'owner' : 'public' });
  };
  const json = async <T>(path: string, asked?: Asked): Promise<T> => {
    const answer = await ask(path, asked);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const inWorkspace = (workspace?: string): Record<string, string> =>
    workspace ? { 'x-svc-workspace': workspace } : {};
  let count = 0;
  let mark = 0;
  return {
    ledger,
    folder,
    env: settings,
    sentToGateway,
    standings,
    logged,
    time,
    ask,
    json,
    send(key, parts) {
      const { path, ...request } = buildRequest(key, parts);
      return ask(path, request);
    },
    call<Key extends RouteKey>(key: Key, parts = {} as RouteRequest<Key>) {
      const { path, ...request } = buildRequest(key, parts);
      return json<RouteResponse<Key>>(path, request);
    },
    async createToken(scopes = [], workspace) {
      const body = { name: `token ${(count += 1)}`, scopes };
      return (
        await json<{ token: string }>('/api/manage/tokens', { method: 'POST', body, headers: inWorkspace(workspace) })
      ).token;
    },
    createKey(name, workspace) {
      const body = { name, provider: 'anthropic', providerKey: 'sk-good-provider-key-11111111' };
      return json('/api/manage/keys', { method: 'POST', body, headers: inWorkspace(workspace) });
    },
    async ship(entries) {
      mark += entries.length;
      await ledger.shipping.append({ journalId: 'journal', mark, entries });
    },
    async refuse(refused) {
      mark += refused.length;
      await ledger.shipping.append({ journalId: 'journal', mark, entries: [], refused });
    },
    entry: (changes = {}) => entryOf(ledger, `call_${String((count += 1)).padStart(6, '0')}`, changes),
    async close() {
      await ledger.close();
      provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function startModelList(): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, answer) => {
    const refused = request.headers['x-api-key'] === BAD_KEY;
    answer.writeHead(refused ? 401 : 200, { 'content-type': 'application/json' }).end('{"data":[]}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

export function usageOf(input: number, output: number): Usage {
  const tokens = { input, output };
  return { inferences: [{ model: null, tokens, promptTokens: input }], uses: {}, thinking: 0, terms: NO_TERMS };
}

function entryOf(ledger: Ledger, callId: string, changes: Partial<Entry>): Entry {
  const usage = usageOf(1_000, 500);
  const startedAt = changes.startedAt ?? NOW - HOUR_MS;
  const model = changes.model === undefined ? 'claude-sonnet-4-5' : changes.model;
  const provider = changes.provider ?? 'anthropic';
  const known = changes.usage === undefined ? usage : changes.usage;
  const priced =
    known && priceUsage(known, model ?? '', (name) => ledger.prices.resolve('ws_default', provider, name, startedAt));
  const cost = priced?.cost ?? null;
  return {
    callId,
    workspaceId: 'ws_default',
    keyId: 'key_1',
    provider,
    operation: 'messages',
    requestedModel: model,
    stream: false,
    tags: {},
    sessionHash: null,
    context: changes.sessionHash ? { ...NO_CONTEXT, session: changes.sessionHash } : NO_CONTEXT,
    shortenedTo: null,
    startedAt,
    hold: { usd: 0, inputTokens: 0, outputTokens: 0 },
    touched: [],
    endedAt: startedAt + 1_500,
    outcome: 'completed',
    uncertainReason: cost === null ? 'no_price' : null,
    status: 200,
    usageSource: 'reported',
    usage: known,
    model,
    cost,
    counted: { usd: cost, inputTokens: 1_000, outputTokens: 500 },
    provenance: fromPrices(priced?.versions ?? []),
    requestId: 'req_1',
    responseId: 'msg_1',
    firstByteMs: 300,
    source: 'proxy',
    ...changes,
  };
}
