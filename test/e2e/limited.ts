import { Agent, request } from 'undici';
import type { AlertType } from '../../src/domain/alerts/alert.ts';
import type { LimitShape, LimitStanding } from '../../src/contract/limits.ts';
import type { RefusalShape, RefusalsPageShape } from '../../src/contract/refusals.ts';
import type { CreatedKey } from '../../src/contract/keys.ts';
import type { ProviderName } from '../../src/demo/answers/answer.ts';
import type { Plan } from '../doubles/plan.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, type Service, type ServiceOptions, startService } from '../service.ts';

export interface Ask {
  readonly provider: ProviderName;
  /** OpenAI's newer form. */
  readonly responses?: boolean;
  readonly model: string;
  /** Absent = the request names no maximum. */
  readonly maxTokens?: number;
  readonly prompt?: string;
  readonly stream?: boolean;
  readonly tags?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields laid over the body. */
  readonly fields?: object;
  /** Secret of a wrapped key; default: the provider's own one here. */
  readonly key?: string;
  readonly plan?: Plan;
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A wrapped key of a test. */
export type TestKey = Pick<CreatedKey, 'id' | 'key'>;

const PROVIDERS: readonly ProviderName[] = ['anthropic', 'google', 'openai'];
const CONNECTIONS_MAX = 2_000;
const IDLE_METRICS = ['in_flight', 'waiting', 'journal_lag', 'body_bytes'];

/** The real service in front of the provider double, for tests of limits. */
export class Limited {
  readonly double: ProviderDouble;
  readonly #options: Omit<ServiceOptions, 'urls'>;
  readonly #agent = new Agent({ connections: CONNECTIONS_MAX });
  #service: Service;
  /** Gateway processes of the service. */
  #workers: number;
  #token = '';
  readonly keys: Partial<Record<ProviderName, TestKey>> = {};
  #names = 0;

  private constructor(double: ProviderDouble, service: Service, options: Omit<ServiceOptions, 'urls'>) {
    this.double = double;
    this.#service = service;
    this.#options = options;
    this.#workers = workersIn(options.env);
  }

  static async start(options: Omit<ServiceOptions, 'urls'> = {}): Promise<Limited> {
    const double = await startProviderDouble();
    const env = { SVC_TOKEN_REQUESTS_PER_MINUTE: '999999', ...options.env };
    const limited = new Limited(double, await startService({ urls: double.urls, ...options, env }), {
      ...options,
      env,
    });
    limited.#token = await limited.#service.createToken(['admin']);
    for (const provider of PROVIDERS) {
      const key = await limited.createKey(provider);
      limited.keys[provider] = key;
      // These tests meet limits exactly, so their calls are not shortened.
      await limited.manage('PUT', `/policies/${key.id}`, { whenOverLimit: 'refuse' });
    }
    return limited;
  }

  get service(): Service {
    return this.#service;
  }

  /** `kill -9`, and another process on the same folder. Needs a folder of the caller's. */
  async killAndStart(more: Pick<ServiceOptions, 'onOutput' | 'env'> = {}): Promise<void> {
    await this.#service.kill();
    const env = { ...this.#options.env, ...more.env };
    this.#workers = workersIn(env);
    this.#service = await startService({ urls: this.double.urls, ...this.#options, ...more, env });
  }

  async close(): Promise<void> {
    await this.#agent.close();
    await this.#service.close();
    await this.double.close();
  }

  /** Asks the management API; throws with its sentence. */
  async manage<T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
    const { statusCode, body: answer } = await request(`${this.#service.baseUrl}/api/manage${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      dispatcher: this.#agent,
    });
    if (statusCode >= 400) throw new Error(`${method} ${path}: ${statusCode} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  createKey(provider: ProviderName, tags: Readonly<Record<string, string>> = {}): Promise<TestKey> {
    const name = `key ${(this.#names += 1)}`;
    return this.manage('POST', '/keys', { name, provider, tags, providerKey: `provider-key-of-${provider}` });
  }

  /** Makes a limit; it is in force when the answer is there. */
  limit(fields: object): Promise<LimitShape> {
    return this.manage('POST', '/limits', fields);
  }

  /** What the holder of a wrapped key sees. */
  async ownLimits(key = ''): Promise<LimitStanding[]> {
    const headers = { authorization: `Bearer ${key}` };
    const { body } = await request(`${this.#service.baseUrl}/api/proxy/limits`, { headers });
    return ((await body.json()) as { limits: LimitStanding[] }).limits;
  }

  async standing(id: string): Promise<LimitStanding> {
    return this.manage('GET', `/limits/${id}`);
  }

  /** Calls that it refused, newest first, once the ledger has so many records. */
  async refusals(limitId: string, records = 1): Promise<RefusalShape[]> {
    const { refusals } = await eventually(
      () => this.#service.report<RefusalsPageShape>(`/api/mcp/refusals?limitId=${limitId}&limit=500`),
      (page) => page.refusals.length >= records,
    );
    return refusals;
  }

  /** How it stands once no call is under way and all is in the book. */
  async settled(id: string): Promise<LimitStanding> {
    await this.idle();
    return this.standing(id);
  }

  /** Once it has counted as much as is wanted: the past of a new limit comes a moment after it. */
  counts(id: string, wanted: (counted: number) => boolean): Promise<LimitStanding> {
    return eventually(
      () => this.standing(id),
      ({ counted }) => wanted(counted),
    );
  }

  /** Titles of the alerts of a type. */
  async alerts(type: AlertType): Promise<string[]> {
    const rows = await this.#service.rows(`SELECT title FROM alerts WHERE type = '${type}' ORDER BY created_at, id`);
    return rows.map(({ title }) => String(title));
  }

  /** Once so many calls wait for room under a limit. */
  async waiting(count: number): Promise<void> {
    await eventually(
      () => this.metric('waiting'),
      (waiting) => waiting === count,
    );
  }

  /**
   * Once no call is under way and the ledger has all of them. A worker that is starting has no metrics yet: it may have found calls
   * of its predecessor.
   */
  async idle(): Promise<void> {
    await eventually(
      async () => ({ text: await this.#metrics(), workers: this.#workers }),
      ({ text, workers }) => IDLE_METRICS.every((name) => valuesOf(text, name).filter(isZero).length === workers),
    );
  }

  /** One of the service's own; of several workers, their sum. */
  async metric(name: string): Promise<number> {
    const values = valuesOf(await this.#metrics(), name);
    return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0);
  }

  /** Makes a call. Throws where the answer, or the client, breaks off. */
  async call(ask: Ask): Promise<Reply> {
    const { provider, tags = {}, plan, signal } = ask;
    const { path, body } = requestOf(ask);
    const list = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
    const answer = await request(`${this.#service.baseUrl}/api/proxy/${provider}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${ask.key ?? this.keys[provider]?.key}`,
        ...(list.length > 0 && { 'x-svc-tags': list.join(',') }),
        ...(plan && { 'x-double': JSON.stringify(plan) }),
        ...ask.headers,
      },
      body,
      dispatcher: this.#agent,
      ...(signal && { signal }),
    });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  async #metrics(): Promise<string> {
    return (await request(`${this.#service.baseUrl}/metrics`)).body.text();
  }
}

const workersIn = (env: ServiceOptions['env']): number => Number(env?.['SVC_WORKERS'] ?? 1);

/** Returns the values of a metric, one of each worker. */
function valuesOf(text: string, name: string): number[] {
  const lines = text.matchAll(new RegExp(`^tollbook_${name}(?:{worker="\\d+"})? (.*)$`, 'gm'));
  return Array.from(lines, ([, value]) => Number(value));
}

const isZero = (value: number): boolean => value === 0;

/** Returns the path of a call below the provider, and its body. */
export function requestOf(ask: Ask): { readonly path: string; readonly body: string } {
  const { path, body } = REQUESTS[ask.provider](ask);
  return { path, body: JSON.stringify({ ...body, ...ask.fields }) };
}

const REQUESTS: Record<ProviderName, (ask: Ask) => { path: string; body: object }> = {
  anthropic: ({ model, maxTokens, prompt = 'Hello', stream = false }) => ({
    path: '/v1/messages',
    body: { model, max_tokens: maxTokens, stream, messages: [{ role: 'user', content: prompt }] },
  }),
  google: ({ model, maxTokens, prompt = 'Hello', stream = false }) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      ...(maxTokens !== undefined && { generationConfig: { maxOutputTokens: maxTokens } }),
    },
  }),
  openai: ({ model, maxTokens, prompt = 'Hello', stream = false, responses = false }) =>
    responses
      ? { path: '/v1/responses', body: { model, max_output_tokens: maxTokens, stream, input: prompt } }
      : {
          path: '/v1/chat/completions',
          body: { model, max_completion_tokens: maxTokens, stream, messages: [{ role: 'user', content: prompt }] },
        },
};
