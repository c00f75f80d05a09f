import { setTimeout as pause } from 'node:timers/promises';
import type { LimitShape } from '../../src/contract/limits.ts';
import type { Held } from '../doubles/held.ts';
import type { ProviderDouble } from '../doubles/provider-double.ts';
import type { Ask } from '../e2e/limited.ts';
import type { ServiceCluster } from './service-cluster.ts';

/** Each call uses all its output: $0.0020025. It holds $0.00254, because its maximum counts each byte that may be a token. */
const OUTPUT_TOKENS = 1_000;
const CALL_NANO = 2_002_500;
export const NEED_NANO_MAX = 2_550_000;
export const NANO_PER_USD = 1e9;
const WORKERS = 6;
const WORKERS_PER_SESSION = 2;
/** Workers for each concurrent call that the limit allows. */
const CROWD = 3;
/** Wait before a call that was not answered is made again. */
const AGAIN_MS = 25;
/** The provider takes so long to answer concurrent calls. */
const ANSWER_MS = 100;
const FINAL = 402;

type Team = 'dollars' | 'calls' | 'concurrent' | 'sessions' | 'steady';

interface LoadPlan {
  /** Calls that the limit of each team allows. Concurrent calls are so many. */
  readonly calls: number;
  readonly sessions: number;
  readonly concurrency: number;
}

/** How the calls of one limit, or of one session, ended. */
export interface LoadResult {
  readonly team: Team;
  /** Value of the tag, or name of the session. It is also the prompt. */
  readonly name: string;
  /** Ids of answered calls. */
  readonly answered: string[];
  /** How often a call had each status; 0 = it broke off. */
  readonly statuses: Record<number, number>;
  /** Time of the first final refusal. */
  refusedAt: number | null;
}

/** Calls of several teams, each with a limit of its own, through all nodes of a cluster. */
export class NodeLoad {
  readonly results: LoadResult[] = [];
  readonly openCalls: OpenCalls;
  readonly #cluster: ServiceCluster;
  readonly #plan: LoadPlan;
  readonly #limits = new Map<Team, LimitShape>();
  /** Key of the calls with a session. */
  #sessionKey = '';
  #turn = 0;
  /** Calls that were answered. */
  answered = 0;
  /** Calls wait while more than so many were answered. */
  allowed = Number.POSITIVE_INFINITY;

  constructor(cluster: ServiceCluster, plan: LoadPlan) {
    this.#cluster = cluster;
    this.#plan = plan;
    this.openCalls = new OpenCalls(cluster.double);
  }

  async createLimits(): Promise<void> {
    const { calls, sessions, concurrency } = this.#plan;
    const { id: keyId, key } = await this.#cluster.createKey('sessions');
    this.#sessionKey = key;
    const tag = (value: Team) => ({ kind: 'tag', key: 'team', value });
    const usd = (count: number): string => ((count * CALL_NANO) / NANO_PER_USD).toFixed(9);
    const limits: Record<Team, object> = {
      steady: { scope: tag('steady'), unit: 'usd', window: 'total', amount: usd(1_000 * calls) },
      dollars: { scope: tag('dollars'), unit: 'usd', window: 'total', amount: usd(calls) },
      calls: { scope: tag('calls'), unit: 'calls', window: 'total', amount: calls },
      concurrent: { scope: tag('concurrent'), unit: 'concurrency', amount: concurrency },
      sessions: { scope: { kind: 'each', of: 'session', keyId }, unit: 'usd', amount: usd(calls / sessions) },
    };
    for (const [team, limit] of Object.entries(limits))
      this.#limits.set(team as Team, await this.#cluster.manage<LimitShape>(0, 'POST', '/limits', limit));
  }

  limit(team: Team): LimitShape {
    const limit = this.#limits.get(team);
    if (!limit) throw new Error('createLimits was not called.');
    return limit;
  }

  /** Makes calls under a limit that is far from its end. */
  async callSteadily(calls: number): Promise<void> {
    await this.#callMany(this.#result('steady', 'steady'), calls, WORKERS);
  }

  /** Makes calls until each limit has refused one for good, and the concurrent ones are done. */
  async run(): Promise<void> {
    const { sessions, concurrency, calls } = this.#plan;
    const names = Array.from({ length: sessions }, (_, session) => `session-${session}`);
    await Promise.all([
      this.#callUntilRefused(this.#result('dollars', 'dollars'), WORKERS),
      this.#callUntilRefused(this.#result('calls', 'calls'), WORKERS),
      this.#callMany(this.#result('concurrent', 'concurrent'), calls, CROWD * concurrency),
      times(WORKERS / WORKERS_PER_SESSION, async () => {
        for (let name = names.shift(); name !== undefined; name = names.shift())
          await this.#callUntilRefused(this.#result('sessions', name), WORKERS_PER_SESSION);
      }),
    ]);
  }

  #result(team: Team, name: string): LoadResult {
    const result: LoadResult = { team, name, answered: [], statuses: {}, refusedAt: null };
    this.results.push(result);
    return result;
  }

  async #callMany(result: LoadResult, calls: number, workers: number): Promise<void> {
    let left = calls;
    await times(workers, async () => {
      for (; left > 0; left -= 1) await this.#callAgain(result);
    });
  }

  async #callUntilRefused(result: LoadResult, workers: number): Promise<void> {
    await times(workers, async () => {
      while ((await this.#callAgain(result)) !== FINAL);
    });
  }

  /** Makes one call through one node after the other until it is answered, or refused for good. Returns the status. */
  async #callAgain(result: LoadResult): Promise<number> {
    for (; ; await pause(AGAIN_MS)) {
      if (this.answered > this.allowed) continue;
      const { nodes } = this.#cluster;
      this.#turn += 1;
      const { status, id } = await this.#cluster.call(nodes[this.#turn % nodes.length] ?? 0, this.#askOf(result));
      result.statuses[status] = (result.statuses[status] ?? 0) + 1;
      if (status === FINAL) {
        result.refusedAt ??= Date.now();
        return status;
      }
      if (status !== 200) continue;
      result.answered.push(id ?? '');
      this.answered += 1;
      return status;
    }
  }

  #askOf({ team, name }: LoadResult): Partial<Ask> {
    const hold = team === 'concurrent' ? { hold: 'headers' as const } : {};
    const ask = { maxTokens: OUTPUT_TOKENS, prompt: name, plan: { tokens: { output: OUTPUT_TOKENS }, ...hold } };
    if (team === 'sessions') return { ...ask, key: this.#sessionKey, headers: { 'x-svc-session': name } };
    return { ...ask, tags: { team } };
  }
}

/** Concurrent calls as the provider sees them: it answers each after a moment. */
class OpenCalls {
  #now = 0;
  most = 0;

  constructor(double: ProviderDouble) {
    void this.#takeAll(double);
  }

  async #takeAll(double: ProviderDouble): Promise<never> {
    for (;;) this.#take(await double.held());
  }

  #take(held: Held): void {
    this.#now += 1;
    this.most = Math.max(this.most, this.#now);
    const over = new AbortController();
    void held.closed.then(() => over.abort());
    // Also if its node was killed meanwhile.
    void pause(ANSWER_MS, undefined, { signal: over.signal })
      .catch(() => undefined)
      .then(() => {
        this.#now -= 1;
        held.release();
      });
  }
}

async function times(count: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}
