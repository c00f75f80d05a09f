import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedKey } from '../../src/contract/keys.ts';
import type { UsageSummary } from '../../src/contract/usage.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type Ask, requestOf } from '../e2e/limited.ts';
import { eventually, type Service, startService } from '../service.ts';
import { type Forwarder, startForwarder } from '../support/forwarder.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { TEST_SECRET } from '../support/temporary-records.ts';

const NANO_PER_USD = 1e9;
/** Wait of the shipper between two attempts, at most, with some time to ship. */
const SHIPS_MS_MAX = 90_000;

/** Answer to a call; status 0 = it broke off. */
export interface ClusterReply {
  readonly status: number;
  readonly text: string;
  /** Of the call in the ledger; null = it has none, or broke off. */
  readonly id: string | null;
}

/**
 * Real services with a data folder each, on one PostgreSQL server, in front of one provider with its own bill. Each reaches
 * the server through a forwarder, which a test can cut.
 */
export class ServiceCluster {
  readonly double: ProviderDouble;
  readonly server: PostgresServer;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #forwarders: readonly Forwarder[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'tollbook-cluster-'));
  readonly #services = new Map<number, Service>();
  #token = '';
  #key = '';

  private constructor(
    double: ProviderDouble,
    server: PostgresServer,
    forwarders: readonly Forwarder[],
    environment: Readonly<Record<string, string>>,
  ) {
    this.#environment = environment;
    this.double = double;
    this.server = server;
    this.#forwarders = forwarders;
  }

  /** @param settings of the server @param environment of each node */
  static async start(
    nodes: number,
    settings: Readonly<Record<string, string>> = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ServiceCluster> {
    const server = await startPostgres(settings);
    const port = Number(new URL(server.url).port);
    const forwarders = await Promise.all(Array.from({ length: nodes }, () => startForwarder(port)));
    const cluster = new ServiceCluster(await startProviderDouble(), server, forwarders, environment);
    for (let node = 0; node < nodes; node += 1) await cluster.startNode(node);
    cluster.#token = await cluster.node(0).createToken(['admin']);
    cluster.#key = (await cluster.createKey('key')).key;
    return cluster;
  }

  /** Creates a wrapped key whose calls are not shortened. */
  async createKey(name: string): Promise<CreatedKey> {
    const fields = { name, provider: 'openai', providerKey: 'provider-key-of-openai' };
    const created = await this.manage<CreatedKey>(0, 'POST', '/keys', fields);
    await this.manage(0, 'PUT', `/policies/${created.id}`, { whenOverLimit: 'refuse' });
    return created;
  }

  get nodes(): readonly number[] {
    return [...this.#services.keys()].toSorted((a, b) => a - b);
  }

  node(node: number): Service {
    const service = this.#services.get(node);
    if (!service) throw new Error(`Node ${node} does not run.`);
    return service;
  }

  /** The way of a node to the server. */
  forwarder(node: number): Forwarder {
    const forwarder = this.#forwarders[node];
    if (!forwarder) throw new Error(`There is no node ${node}.`);
    return forwarder;
  }

  async startNode(node: number): Promise<void> {
    const url = Object.assign(new URL(this.server.url), { port: String(this.forwarder(node).port) }).href;
    const env = {
      SVC_DATABASE_URL: url,
      SVC_SECRET: TEST_SECRET,
      SVC_NODE_NAME: `node-${node}`,
      SVC_TOKEN_REQUESTS_PER_MINUTE: '999999',
      ...this.#environment,
    };
    const dataDir = join(this.#folder, String(node));
    this.#services.set(node, await startService({ urls: this.double.urls, dataDir, env }));
  }

  /** `kill -9`. */
  async kill(node: number): Promise<void> {
    await this.node(node).kill();
    this.#services.delete(node);
  }

  /** Ends a node as an update does. */
  async stop(node: number): Promise<void> {
    const service = this.node(node);
    this.#services.delete(node);
    await service.close();
  }

  async manage<T>(node: number, method: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${this.node(node).baseUrl}/api/manage${path}`, init);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async call(node: number, ask: Partial<Ask> = {}): Promise<ClusterReply> {
    const whole: Ask = { provider: 'openai', model: 'gpt-5-mini', maxTokens: 100, ...ask };
    const { path, body } = requestOf(whole);
    const tags = Object.entries(whole.tags ?? {}).map(([name, value]) => `${name}=${value}`);
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${whole.key ?? this.#key}`,
      ...whole.headers,
      ...(tags.length > 0 && { 'x-svc-tags': tags.join(',') }),
      ...(whole.plan && { 'x-double': JSON.stringify(whole.plan) }),
    };
    try {
      const answer = await fetch(`${this.node(node).baseUrl}/api/proxy/openai${path}`, {
        method: 'POST',
        headers,
        body,
      });
      const id = answer.headers.get('x-svc-call-id');
      return { status: answer.status, text: await answer.text(), id };
    } catch (error) {
      return { status: 0, text: String(error), id: null };
    }
  }

  /** Makes calls through all nodes at the same time. Returns how many had each status. */
  async callAll(each: number, ask: Partial<Ask> = {}): Promise<Record<number, number>> {
    const calls = this.nodes.flatMap((node) => Array.from({ length: each }, () => this.call(node, ask)));
    const statuses: Record<number, number> = {};
    for (const { status } of await Promise.all(calls)) statuses[status] = (statuses[status] ?? 0) + 1;
    return statuses;
  }

  /** Calls that the provider has seen. */
  get sent(): number {
    return this.double.requests.filter(({ path }) => path.includes('completions')).length;
  }

  /** Dollars that the provider has billed. */
  billed(): number {
    return Number(this.double.bill.total()) / NANO_PER_USD;
  }

  async summary(node: number): Promise<UsageSummary> {
    return await this.node(node).report<UsageSummary>('/api/mcp/usage/summary');
  }

  /** Returns the summary of each node, once the ledger has as many calls as the provider but for some. */
  async summaries(missing = 0): Promise<UsageSummary[]> {
    const [first = 0] = this.nodes;
    const calls = this.sent - missing;
    await eventually(
      () => this.summary(first).catch(() => null),
      (found) => (found?.totalCalls ?? 0) >= calls,
      SHIPS_MS_MAX,
    );
    return await Promise.all(this.nodes.map((node) => this.summary(node)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#services.values()].map((service) => service.close()));
    await this.double.close();
    for (const forwarder of this.#forwarders) forwarder.close();
    await this.server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
