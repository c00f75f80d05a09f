import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DAY_MS } from '../../src/domain/time/units.ts';

/** Usage of an organization on one day, with one key and model. */
export interface Fact {
  readonly day: number;
  readonly key: string | null;
  readonly project: string | null;
  readonly model: string;
  readonly tier: string;
  readonly input: number;
  readonly cacheRead: number;
  readonly write: number;
  readonly output: number;
  readonly searches: number;
  readonly requests: number;
  /** Of its output, in the provider's own unit. */
  readonly amount: string;
  /** Its lines of the bill, by token type (`web_search` too); default: one of its output. */
  readonly lines?: Readonly<Record<string, string>>;
}

/** A fault in place of a response. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | 'hang up'
  | 'cut off'
  | 'html'
  | 'without a day'
  | 'no next page';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface OrganizationOptions {
  readonly provider: 'anthropic' | 'openai';
  readonly facts?: readonly Fact[];
  readonly keys?: readonly { readonly id: string; readonly name: string; readonly hint: string }[];
  /** Buckets of one page at most, whatever is asked for. */
  readonly pageDays?: number;
  /** People, or names, of one page at most. */
  readonly pageRows?: number;
}

export const ADMIN_KEY = 'sk-ant-admin01-of-the-double-0123456789';
export const OPENAI_ADMIN_KEY = 'sk-admin-of-the-double-0123456789';

/** An organization with the admin API of Anthropic or OpenAI. It records its responses. */
export class Organization {
  readonly options: Required<OrganizationOptions>;
  facts: Fact[];
  /** Faults of the next requests, in turn; null = none. */
  readonly faults: (Fault | null)[] = [];
  /** Of requests that were answered 200, with their parameters. */
  readonly answered: string[] = [];
  isKeyGood = true;
  /** Of Anthropic: the admin key that is taken, and whose it is. */
  key = ADMIN_KEY;
  id = 'org_double';
  /** People at work on every day that has facts. */
  people = ['ada@example.com', 'grace@example.com', 'edsger@example.com'];

  constructor(options: OrganizationOptions) {
    const keys = [{ id: 'apikey_1', name: 'Prod', hint: 'sk-ant-api03-R2D...igAA' }];
    this.options = { facts: [], keys, pageDays: 31, pageRows: 1_000, ...options };
    this.facts = [...this.options.facts];
  }

  ask(path: string, query: URLSearchParams, headers: Readonly<Record<string, unknown>>): Reply | 'hang up' {
    const fault = this.faults.shift() ?? null;
    if (fault === 'hang up') return fault;
    if (fault !== null && typeof fault === 'object') return { headers: {}, ...fault, text: '{"type":"error"}' };
    const isAnthropic = this.options.provider === 'anthropic';
    const key = isAnthropic ? headers['x-api-key'] : headers['authorization'];
    if (!this.isKeyGood || key !== (isAnthropic ? this.key : `Bearer ${OPENAI_ADMIN_KEY}`))
      return { status: 401, headers: {}, text: '{"type":"error"}' };
    const body = isAnthropic ? this.#anthropic(path, query) : this.#openai(path, query);
    if (body === null) return { status: 404, headers: {}, text: '{"type":"error"}' };
    const text = JSON.stringify(damaged(body, fault));
    if (fault === 'cut off') return { status: 200, headers: {}, text: text.slice(0, text.length / 2) };
    if (fault === 'html') return { status: 200, headers: {}, text: '<html>' };
    if (fault === null) this.answered.push(`${path}?${query.toString()}`);
    return { status: 200, headers: isAnthropic ? {} : { 'openai-organization': 'example' }, text };
  }

  #anthropic(path: string, query: URLSearchParams): Body | null {
    const report = path.replace('/v1/organizations/', '');
    if (report === 'me') return { id: this.id, type: 'organization', name: 'Double' };
    if (report === 'usage_report/messages')
      return this.#buckets(
        Date.parse(query.get('starting_at') ?? ''),
        Date.parse(query.get('ending_at') ?? ''),
        query,
        {
          bucket: (day) => ({ starting_at: iso(day), ending_at: iso(day + DAY_MS) }),
          rows: (fact) => [anthropicUsage(fact)],
        },
      );
    if (report === 'cost_report')
      return this.#buckets(
        Date.parse(query.get('starting_at') ?? ''),
        Date.parse(query.get('ending_at') ?? ''),
        query,
        {
          bucket: (day) => ({ starting_at: iso(day), ending_at: iso(day + DAY_MS) }),
          rows: anthropicCosts,
        },
      );
    if (report === 'usage_report/claude_code') return this.#people(query);
    const lists: Record<string, Body[]> = {
      api_keys: this.options.keys.map(({ id, name, hint }) => {
        return { id, name, partial_key_hint: hint, status: 'active', workspace_id: null };
      }),
      workspaces: [
        { id: 'wrkspc_1', name: 'Research', archived_at: null },
        { id: 'wrkspc_2', name: 'Old', archived_at: iso(0) },
      ],
      users: [{ id: 'user_1', name: 'Ada', email: 'ada@example.com' }],
    };
    const list = lists[report];
    return list ? this.#list(list, query.get('after_id')) : null;
  }

  #openai(path: string, query: URLSearchParams): Body | null {
    const report = path.replace('/v1/organization/', '');
    const [start, end] = ['start_time', 'end_time'].map((name) => Number(query.get(name)) * 1_000);
    const bucket = (day: number): Body => ({
      object: 'bucket',
      start_time: day / 1_000,
      end_time: day / 1_000 + 86_400,
    });
    const until = end || Date.now();
    if (report === 'usage/completions')
      return this.#buckets(start ?? 0, until, query, { bucket, rows: (fact) => [openaiUsage(fact)] });
    if (report === 'costs')
      return this.#buckets(start ?? 0, until, query, { bucket, rows: (fact) => [openaiCost(fact)] });
    if (report.startsWith('usage/')) return this.#buckets(start ?? 0, until, query, { bucket, rows: () => [] });
    const lists: Record<string, Body[]> = {
      projects: [
        { id: 'proj_a', name: 'A', status: 'active' },
        { id: 'proj_b', name: 'B', status: 'active' },
        { id: 'proj_z', name: 'Z', status: 'archived' },
      ],
      users: [{ id: 'user_1', name: 'Ada', email: 'ada@example.com' }],
      'projects/proj_a/api_keys': [
        { id: 'key_1', name: 'one', redacted_value: 'sk-...aaaa' },
        { id: 'key_2', name: 'two', redacted_value: 'sk-...bbbb' },
      ],
      'projects/proj_b/api_keys': [{ id: 'key_3', name: null, redacted_value: 'sk-...cccc' }],
    };
    const list = lists[report];
    return list ? this.#list(list, query.get('after')) : null;
  }

  #buckets(
    start: number,
    end: number,
    query: URLSearchParams,
    { bucket, rows }: { bucket: (day: number) => Body; rows: (fact: Fact) => Body[] },
  ): Body {
    const from = Number(query.get('page')?.replace('page_', '') ?? start);
    const limit = Math.min(Number(query.get('limit') ?? 7), this.options.pageDays);
    const data: Body[] = [];
    let day = from;
    for (; day < end && data.length < limit; day += DAY_MS) {
      const results = this.facts.filter((fact) => fact.day === day).flatMap((fact) => rows(fact));
      data.push({ ...bucket(day), results });
    }
    const more = day < end;
    return { data, has_more: more, next_page: more ? `page_${day}` : null };
  }

  #people(query: URLSearchParams): Body {
    const day = Date.parse(query.get('starting_at') ?? '');
    const all = this.facts.some((fact) => fact.day === day) ? this.people : [];
    const from = Number(query.get('page') ?? 0);
    const to = from + this.options.pageRows;
    const more = to < all.length;
    return {
      data: all.slice(from, to).map((email) => personRow(day, email)),
      has_more: more,
      next_page: more ? String(to) : null,
    };
  }

  #list(rows: Body[], after: string | null): Body {
    const from = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1;
    const data = rows.slice(from, from + this.options.pageRows);
    return {
      data,
      has_more: from + data.length < rows.length,
      first_id: data[0]?.['id'] ?? null,
      last_id: data.at(-1)?.['id'] ?? null,
    };
  }
}

type Body = Record<string, unknown>;

function damaged(body: Body, fault: Fault | null): Body {
  const data = body['data'];
  if (fault === 'without a day' && Array.isArray(data) && data.every((one) => Object.hasOwn(one as Body, 'results')))
    return { ...body, data: data.slice(1) };
  if (fault === 'no next page') return { ...body, has_more: true, next_page: null, last_id: null };
  return body;
}

function anthropicUsage(fact: Fact): Body {
  return {
    uncached_input_tokens: fact.input,
    cache_creation: { ephemeral_1h_input_tokens: fact.write, ephemeral_5m_input_tokens: 2 * fact.write },
    cache_read_input_tokens: fact.cacheRead,
    output_tokens: fact.output,
    server_tool_use: { web_search_requests: fact.searches },
    api_key_id: fact.key,
    workspace_id: fact.project,
    model: fact.model,
    service_tier: fact.tier,
    context_window: '0-200k',
    inference_geo: 'global',
    speed: 'standard',
    account_id: null,
    service_account_id: null,
  };
}

function anthropicCosts({ lines, ...fact }: Fact): Body[] {
  return Object.entries(lines ?? { output_tokens: fact.amount }).map(([type, amount]) => {
    const isSearch = type === 'web_search';
    return {
      currency: 'USD',
      amount,
      workspace_id: fact.project,
      description: isSearch ? 'Web Search Usage' : `${fact.model} Usage - ${type}`,
      cost_type: isSearch ? 'web_search' : 'tokens',
      model: isSearch ? null : fact.model,
      token_type: isSearch ? null : type,
      context_window: isSearch ? null : '0-200k',
      service_tier: isSearch ? null : fact.tier,
      inference_geo: isSearch ? null : 'global',
    };
  });
}

function personRow(day: number, email: string): Body {
  return {
    date: iso(day),
    organization_id: 'org_double',
    customer_type: 'api',
    subscription_type: null,
    actor: { type: 'user_actor', email_address: email },
    terminal_type: 'vscode',
    is_remote: false,
    core_metrics: {
      num_sessions: 5,
      lines_of_code: { added: 9, removed: 2 },
      commits_by_claude_code: 1,
      pull_requests_by_claude_code: 0,
    },
    tool_actions: { edit_tool: { accepted: 4, rejected: 1 } },
    model_breakdown: [
      {
        model: 'm',
        tokens: { input: 1, output: 2, cache_read: 3, cache_creation: 4 },
        estimated_cost: { currency: 'USD', amount: 1025 },
      },
    ],
  };
}

function openaiUsage(fact: Fact): Body {
  return {
    object: 'organization.usage.completions.result',
    input_tokens: fact.input + fact.cacheRead + fact.write,
    input_cached_tokens: fact.cacheRead,
    input_cache_write_tokens: fact.write,
    input_uncached_tokens: fact.input,
    output_tokens: fact.output,
    input_audio_tokens: 0,
    output_audio_tokens: 0,
    num_model_requests: fact.requests,
    project_id: fact.project,
    user_id: null,
    api_key_id: fact.key,
    model: fact.model,
    batch: fact.tier === 'batch',
    service_tier: fact.tier === 'batch' ? null : fact.tier,
  };
}

function openaiCost(fact: Fact): Body {
  return {
    object: 'organization.costs.result',
    amount: { value: Number(fact.amount), currency: 'usd' },
    line_item: `${fact.model}, output`,
    project_id: fact.project,
    api_key_id: fact.key,
    organization_id: 'org_double',
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Serves an organization over HTTP. `delayMs`: duration of each response. */
export async function serveOrganization(
  organization: Organization,
  delayMs = 0,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://double');
    setTimeout(() => {
      const reply = organization.ask(url.pathname, url.searchParams, request.headers);
      if (reply === 'hang up') return request.socket.destroy();
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.text);
    }, delayMs);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
