import { DAY_MS } from '../domain/time/units.ts';
import { SANDBOX_KEYS } from './teams.ts';

/** Usage of one model on one UTC day. */
export interface OrganizationUse {
  /** `2026-01-31` */
  readonly day: string;
  readonly model: string;
  /** Uncached. */
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
  /** US dollars. */
  readonly cost: number;
}

/** A page has at most this many days, the most that sync requests. */
const DAYS_MAX = 31;
/** Share of each day's usage that comes from the Console, outside the gateway. */
const CONSOLE_SHARE = 0.08;
/** Characters of a key that reports show. */
const SHOWN_HEAD = 16;
const SHOWN_TAIL = 4;
const KEYS = [
  {
    id: 'apikey_demo_gateway',
    name: 'Gateway',
    partial_key_hint: `${SANDBOX_KEYS.anthropic.slice(0, SHOWN_HEAD)}...${SANDBOX_KEYS.anthropic.slice(-SHOWN_TAIL)}`,
    workspace_id: null,
    status: 'active',
  },
  {
    id: 'apikey_demo_console',
    name: 'Console',
    partial_key_hint: 'sk-ant-api03-C0n...soLe',
    workspace_id: null,
    status: 'active',
  },
];
const USERS = [
  { id: 'user_demo_1', name: 'Ada Byron', email: 'ada@demo.example' },
  { id: 'user_demo_2', name: 'Brook Lindley', email: 'brook@demo.example' },
];
const TERMS = { workspace_id: null, service_tier: 'standard', context_window: '0-200k', inference_geo: 'global' };

/** The made-up organization behind the demo's Anthropic key, with the reports that its admin key reads. */
export class DemoOrganization {
  /** Uses by day. */
  readonly #uses = new Map<string, Map<string, OrganizationUse>>();

  add(use: OrganizationUse): void {
    const ofDay = this.#uses.get(use.day) ?? new Map<string, OrganizationUse>();
    const known = ofDay.get(use.model);
    this.#uses.set(use.day, ofDay.set(use.model, known ? together(known, use) : use));
  }

  /** The answer to a request below `/v1/organizations`; null = there is nothing. */
  answer(url: URL): object | null {
    const report = url.pathname.split('/v1/organizations/')[1] ?? '';
    const days = reportDays(url.searchParams);
    switch (report) {
      case 'me':
        return { id: 'org_demo', type: 'organization', name: 'Acme' };
      case 'usage_report/messages':
        return reportPage(days.map((day) => bucket(day, this.#usesOf(day).flatMap(usageRows))));
      case 'cost_report':
        return reportPage(days.map((day) => bucket(day, this.#usesOf(day).map(costRow))));
      case 'usage_report/claude_code':
        return reportPage(
          days.slice(0, 1).flatMap((day) => (this.#usesOf(day).length > 0 ? USERS : []).map(personRow(day))),
        );
      case 'api_keys':
        return { data: KEYS, has_more: false, last_id: null };
      case 'users':
        return { data: USERS, has_more: false, last_id: null };
      case 'workspaces':
        return { data: [], has_more: false, last_id: null };
      default:
        return null;
    }
  }

  #usesOf(day: string): OrganizationUse[] {
    return [...(this.#uses.get(day)?.values() ?? [])];
  }
}

function together(a: OrganizationUse, b: OrganizationUse): OrganizationUse {
  return {
    ...a,
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    output: a.output + b.output,
    cost: a.cost + b.cost,
  };
}

/** The days from `starting_at` to `ending_at`; of people's reports the one day. */
function reportDays(query: URLSearchParams): string[] {
  const start = Date.parse(query.get('starting_at') ?? '');
  const end = Date.parse(query.get('ending_at') ?? '') || start + DAY_MS;
  const count = Math.min(DAYS_MAX, Math.max(0, Math.ceil((end - start) / DAY_MS) || 0));
  return Array.from({ length: count }, (_, index) => new Date(start + index * DAY_MS).toISOString().slice(0, 10));
}

function reportPage(data: readonly object[]): object {
  return { data, has_more: false, next_page: null };
}

function bucket(day: string, results: readonly object[]): object {
  const start = Date.parse(day);
  return { starting_at: `${day}T00:00:00Z`, ending_at: new Date(start + DAY_MS).toISOString(), results };
}

function usageRows(use: OrganizationUse): object[] {
  const row = (key: string, share: number): object => ({
    ...TERMS,
    api_key_id: key,
    model: use.model,
    speed: 'standard',
    uncached_input_tokens: Math.round(use.input * share),
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    cache_read_input_tokens: Math.round(use.cacheRead * share),
    output_tokens: Math.round(use.output * share),
    server_tool_use: { web_search_requests: 0 },
  });
  return [row('apikey_demo_gateway', 1), row('apikey_demo_console', CONSOLE_SHARE)];
}

/** In cents, as text. */
function costRow({ model, cost }: OrganizationUse): object {
  return {
    ...TERMS,
    currency: 'USD',
    amount: (cost * (1 + CONSOLE_SHARE) * 100).toFixed(6),
    description: `${model} Usage`,
    cost_type: 'tokens',
    model,
    token_type: null,
  };
}

function personRow(day: string): (user: (typeof USERS)[number]) => object {
  return ({ email }) => ({
    date: `${day}T00:00:00Z`,
    actor: { type: 'user_actor', email_address: email },
    customer_type: 'api',
    subscription_type: null,
    terminal_type: 'vscode',
    is_remote: false,
    core_metrics: {
      num_sessions: 3,
      lines_of_code: { added: 120, removed: 40 },
      commits_by_claude_code: 2,
      pull_requests_by_claude_code: 1,
    },
    tool_actions: { edit_tool: { accepted: 18, rejected: 2 } },
    model_breakdown: [],
  });
}
