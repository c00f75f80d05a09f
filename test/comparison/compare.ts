import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import type { ProviderName } from '../../src/demo/answers/answer.ts';
import type { BillRow } from '../doubles/bill.ts';
import type { Held } from '../doubles/held.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type ExportedCall, exportCalls } from '../e2e/recorded-call.ts';
import { eventually, type Service, startService } from '../service.ts';
import { drawCall } from './drawn-call.ts';
import { type Received, sendCall } from './send-call.ts';
import { sumFindings } from './sums.ts';
import { hashOf, providerKeyOf, type Observation, verdict } from './verdict.ts';

export interface ComparisonOptions {
  readonly calls: number;
  readonly seed: number;
  /** How often the service is killed (`kill -9`) and started again on the way. Default: 0. */
  readonly kills?: number;
  readonly onProgress?: (callsMade: number) => void;
}

/** Book and bill side by side. */
export interface Comparison {
  /** Calls that the provider saw. */
  readonly seen: number;
  readonly entries: number;
  /** Calls with a cost that is the bill's to the nano-dollar, and their sum in nano-USD. */
  readonly exact: number;
  readonly exactNano: bigint;
  /** All other entries, by the reason why their cost is not certain. */
  readonly doubts: Readonly<Record<string, number>>;
  /** Entries that the summary counts as uncertain. */
  readonly uncertain: number;
  /** Entries of sent calls that the provider never saw; each of them is marked as uncertain. */
  readonly unseen: number;
  /** What is wrong; empty = book and bill agree. */
  readonly findings: readonly string[];
}

const CALLS_AT_ONCE = 64;
/** Answers that are held back at a time; the oldest goes on when another one comes. */
const STALLED_MAX = 8;

/** Makes random calls through a real service, and compares its book with the bill of the provider's double. */
export async function compare(options: ComparisonOptions): Promise<Comparison> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollbook-comparison-'));
  const double = await startProviderDouble();
  const target = new Target(double, dataDir);
  try {
    await target.start();
    const received = await makeCalls(options, target, double);
    const service = await target.service();
    const findings = await idleFindings(service, double);
    const ledger = await exportCalls(service);
    findings.push(...(await sumFindings(service, ledger)));
    await service.close();
    await eventually(
      () => double.connections(),
      (open) => open === 0,
    );
    return weigh(options, received, double, ledger, findings);
  } finally {
    await target.service().then((service) => service.close());
    await double.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The service under test, which may be another process from one moment to the next. */
class Target {
  readonly #double: ProviderDouble;
  readonly #dataDir: string;
  #service: Promise<Service>;
  #keys: Readonly<Partial<Record<ProviderName, string>>> = {};

  constructor(double: ProviderDouble, dataDir: string) {
    this.#double = double;
    this.#dataDir = dataDir;
    this.#service = startService({ urls: double.urls, dataDir });
  }

  async start(): Promise<void> {
    const service = await this.#service;
    const providers = ['anthropic', 'google', 'openai'] as const;
    const made = providers.map(async (provider) => {
      const key = await service.createKey(provider, { name: provider, providerKey: providerKeyOf({ provider }) });
      return [provider, key] as const;
    });
    this.#keys = Object.fromEntries(await Promise.all(made));
  }

  service(): Promise<Service> {
    return this.#service;
  }

  key(provider: ProviderName): string {
    return this.#keys[provider] ?? '';
  }

  /** Calls made from now on wait for the new process. */
  async killAndStart(): Promise<void> {
    const killed = this.#service.then((service) => service.kill());
    this.#service = killed.then(() => startService({ urls: this.#double.urls, dataDir: this.#dataDir }));
    await this.#service;
  }
}

async function makeCalls(
  { calls, seed, kills = 0, onProgress }: ComparisonOptions,
  target: Target,
  double: ProviderDouble,
): Promise<Received[]> {
  const agent = new Agent({ connections: CALLS_AT_ONCE });
  const received: Received[] = [];
  const stalls = new Stalls();
  void stalls.watch(double);
  let next = 0;
  let made = 0;
  let killed = 0;
  async function client(): Promise<void> {
    while (next < calls) {
      const call = drawCall(seed, next++);
      const { baseUrl } = await target.service();
      received[call.number] = await sendCall(baseUrl, target.key(call.provider), call, agent);
      made += 1;
      onProgress?.(made);
      if (made < (calls / (kills + 1)) * (killed + 1) || killed === kills) continue;
      killed += 1;
      await target.killAndStart();
    }
    stalls.end();
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, client));
  await agent.close();
  return received;
}

/** Answers that the double holds back; each goes on when a few others have come to be held, or when all is over. */
class Stalls {
  readonly #held: Held[] = [];
  #max = STALLED_MAX;

  async watch(double: ProviderDouble): Promise<void> {
    for (;;) {
      this.#held.push(await double.held());
      this.#release();
    }
  }

  end(): void {
    this.#max = 0;
    this.#release();
  }

  #release(): void {
    while (this.#held.length > this.#max) this.#held.shift()?.release();
  }
}

/** Waits until nothing is under way; what is left over then has leaked. */
async function idleFindings(service: Service, double: ProviderDouble): Promise<string[]> {
  const read = async () => (await fetch(`${service.baseUrl}/metrics`)).text();
  const text = await eventually(read, (metrics) =>
    ['in_flight', 'journal_lag', 'body_bytes'].every((name) => metrics.includes(`\ntollbook_${name} 0\n`)),
  );
  const sockets = Number(/^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  const upstream = await double.connections();
  const open = double.requests.filter(({ over }) => !over).length;
  return [
    ...(open > 0 ? [`${open} requests are still open at the provider`] : []),
    ...(sockets > upstream + OWN_SOCKETS_MAX ? [`${sockets} sockets are open, ${upstream} of them upstream`] : []),
  ];
}
/** Of whoever reads the metrics. */
const OWN_SOCKETS_MAX = 2;

function weigh(
  { calls, seed, kills = 0 }: ComparisonOptions,
  received: readonly Received[],
  double: ProviderDouble,
  ledger: readonly ExportedCall[],
  findings: string[],
): Comparison {
  const rows = rowsBySession(double);
  const entries = Map.groupBy(ledger, ({ sessionHash }) => sessionHash ?? '');
  let exact = 0;
  let exactNano = 0n;
  let known = 0;
  for (let number = 0; number < calls; number++) {
    const call = drawCall(seed, number);
    const found: Observation = {
      call,
      received: received[number] ?? { status: 0, whole: false, callId: null, costUsd: null },
      rows: rows.get(call.session) ?? [],
      entries: entries.get(hashOf(call.session)) ?? [],
    };
    const wrong = verdict(found, kills > 0);
    if (wrong !== null) findings.push(describeCall(found, wrong));
    known += found.entries.length;
    if (found.entries[0]?.uncertainReason === null && found.rows[0]) {
      exact += 1;
      exactNano += found.rows[0].nano ?? 0n;
    }
  }
  if (known !== ledger.length) findings.push(`${ledger.length - known} entries are of calls that nobody made`);
  const uncertain = Object.groupBy(
    ledger.filter(({ uncertainReason }) => uncertainReason !== null),
    ({ uncertainReason }) => uncertainReason ?? '',
  );
  const seen = double.bill.rows.length;
  return {
    seen,
    entries: ledger.length,
    exact,
    exactNano,
    doubts: Object.fromEntries(
      Object.entries(uncertain).map(([uncertainReason, list]) => [uncertainReason, list?.length ?? 0]),
    ),
    uncertain: ledger.filter(({ uncertainReason }) => uncertainReason !== null && uncertainReason !== 'no_price')
      .length,
    unseen: ledger.filter(({ outcome }) => outcome !== 'not_sent').length - seen,
    findings,
  };
}

function rowsBySession({ requests, bill }: ProviderDouble): Map<string, BillRow[]> {
  const sessions = new Map(requests.map(({ id, headers }) => [id, String(headers['x-claude-code-session-id'])]));
  return Map.groupBy(bill.rows, ({ id }) => sessions.get(id) ?? '');
}

function describeCall({ call, received, rows, entries }: Observation, wrong: string): string {
  const big = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return `call ${call.number}: ${wrong}\n${JSON.stringify({ call, received, rows, entries }, big)}`;
}
