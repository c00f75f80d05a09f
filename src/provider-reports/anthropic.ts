import { z } from 'zod';
import type {
  ReportClass,
  ReportedCost,
  ReportedPerson,
  ReportedUsage,
} from '../domain/reconciliation/provider-report.ts';
import {
  combineUsage,
  count,
  decimalText,
  lowerOrNull,
  nanoFromDecimal,
  nextPage,
  parseDay,
  readReportBody,
  unknownAmounts,
  word,
  wordOrNull,
} from './shapes.ts';
import type { DatedReport, DaysPage, DayWindow, ListReport, NamesPage, ReportRequest, ReportSource } from './source.ts';
import { MalformedReport } from './source.ts';
import { HOUR_MS } from '../domain/time/units.ts';

const FIVE_MINUTES_MS = 5 * 60_000;
/** Days requested. Anthropic does not document how long it keeps reports. */
const BACKFILL_DAYS = 365;
/** Shorter, because each day of the people report is a separate request. */
const PEOPLE_BACKFILL_DAYS = 90;
const USAGE_WINDOW_DAYS = 7;
/** The maximum of one page. */
const COST_WINDOW_DAYS = 31;
const PEOPLE_PER_PAGE = 1_000;
const NAMES_PER_PAGE = 1_000;
/** Amounts are in US cents. */
const CENT_DIGITS = 2;

const usageRow = z.looseObject({
  uncached_input_tokens: count,
  cache_creation: z.looseObject({ ephemeral_1h_input_tokens: count, ephemeral_5m_input_tokens: count }).nullish(),
  cache_read_input_tokens: count,
  output_tokens: count,
  server_tool_use: z.looseObject({ web_search_requests: count }).nullish(),
  api_key_id: wordOrNull,
  workspace_id: wordOrNull,
  model: wordOrNull,
  service_tier: lowerOrNull,
  context_window: lowerOrNull,
  inference_geo: lowerOrNull,
  speed: lowerOrNull,
});
const KNOWN = new Set(Object.keys(usageRow.shape));
const KNOWN_CACHE = new Set(['ephemeral_1h_input_tokens', 'ephemeral_5m_input_tokens']);
const KNOWN_TOOLS = new Set(['web_search_requests']);

function usageReport(): DatedReport {
  const answer = anthropicPage(usageRow);
  const groups = ['api_key_id', 'workspace_id', 'model', 'service_tier', 'context_window', 'inference_geo', 'speed'];
  return {
    kind: 'days',
    id: 'messages',
    everyMs: FIVE_MINUTES_MS,
    backfillDays: BACKFILL_DAYS,
    windowDays: USAGE_WINDOW_DAYS,
    splitsDays: false,
    request: (window, page) => ({
      ...anthropicDaysRequest('/v1/organizations/usage_report/messages', groups, USAGE_WINDOW_DAYS, window, page),
      // Needed for the report to separate fast calls from others.
      headers: { 'anthropic-beta': 'fast-mode-2026-02-01' },
    }),
    read(body): DaysPage {
      const { data, has_more, next_page } = readReportBody(answer, body);
      const unknown = new Set<string>();
      for (const row of data.flatMap(({ results }) => results)) {
        for (const name of unknownAmounts(row, KNOWN)) unknown.add(name);
        for (const name of unknownAmounts(row.cache_creation ?? {}, KNOWN_CACHE)) unknown.add(name);
        for (const name of unknownAmounts(row.server_tool_use ?? {}, KNOWN_TOOLS)) unknown.add(name);
      }
      return {
        next: nextPage(has_more, next_page),
        days: data.map((bucket) => ({
          kind: 'usage',
          day: parseDay(Date.parse(bucket.starting_at)),
          rows: combineUsage(bucket.results.map(toAnthropicUsage)),
        })),
        unknown: [...unknown],
      };
    },
  };
}

function toAnthropicUsage(row: z.output<typeof usageRow>): ReportedUsage {
  return {
    key: row.api_key_id,
    project: row.workspace_id,
    model: row.model,
    tier: row.service_tier,
    context: row.context_window,
    geo: row.inference_geo,
    speed: row.speed,
    amounts: {
      input: row.uncached_input_tokens,
      cacheRead: row.cache_read_input_tokens,
      cacheWrite5m: row.cache_creation?.ephemeral_5m_input_tokens ?? 0,
      cacheWrite1h: row.cache_creation?.ephemeral_1h_input_tokens ?? 0,
      output: row.output_tokens,
      webSearch: row.server_tool_use?.web_search_requests ?? 0,
    },
    requests: null,
  };
}

const TOKEN_TYPES: Readonly<Record<string, ReportClass>> = {
  uncached_input_tokens: 'input',
  output_tokens: 'output',
  cache_read_input_tokens: 'cacheRead',
  'cache_creation.ephemeral_5m_input_tokens': 'cacheWrite5m',
  'cache_creation.ephemeral_1h_input_tokens': 'cacheWrite1h',
};
const COST_TYPES: Readonly<Record<string, ReportClass>> = { web_search: 'webSearch', code_execution: 'codeExecution' };

const costRow = z.object({
  currency: word,
  amount: z.union([z.string(), z.number()]),
  workspace_id: wordOrNull,
  description: wordOrNull,
  cost_type: lowerOrNull,
  model: wordOrNull,
  token_type: lowerOrNull,
  context_window: lowerOrNull,
  service_tier: lowerOrNull,
  inference_geo: lowerOrNull,
});

function costReport(): DatedReport {
  const answer = anthropicPage(costRow);
  const groups = ['workspace_id', 'description'];
  return {
    kind: 'days',
    id: 'cost',
    everyMs: FIVE_MINUTES_MS,
    backfillDays: BACKFILL_DAYS,
    windowDays: COST_WINDOW_DAYS,
    splitsDays: false,
    request: (window, page) =>
      anthropicDaysRequest('/v1/organizations/cost_report', groups, COST_WINDOW_DAYS, window, page),
    read(body): DaysPage {
      const { data, has_more, next_page } = readReportBody(answer, body);
      return {
        next: nextPage(has_more, next_page),
        days: data.map((bucket) => ({
          kind: 'cost',
          day: parseDay(Date.parse(bucket.starting_at)),
          rows: bucket.results.map(toAnthropicCost),
        })),
        unknown: [],
      };
    },
  };
}

function toAnthropicCost(row: z.output<typeof costRow>): ReportedCost {
  return {
    key: null,
    project: row.workspace_id,
    model: row.model,
    tier: row.service_tier,
    context: row.context_window,
    geo: row.inference_geo,
    kind: row.cost_type,
    class: TOKEN_TYPES[row.token_type ?? ''] ?? COST_TYPES[row.cost_type ?? ''] ?? null,
    line: row.description,
    ...toAmount(row.amount, row.currency),
  };
}

function toAmount(amount: string | number, currency: string): Pick<ReportedCost, 'amount' | 'unit' | 'nanoUsd'> {
  const text = decimalText(amount);
  const isUsd = currency.toUpperCase() === 'USD';
  return {
    amount: text,
    unit: `${currency.toUpperCase()} cent`,
    nanoUsd: isUsd ? nanoFromDecimal(text, CENT_DIGITS) : null,
  };
}

const tool = z.object({ accepted: count, rejected: count });
const personRow = z.object({
  date: word,
  actor: z.object({ type: word, email_address: wordOrNull, api_key_name: wordOrNull }),
  customer_type: lowerOrNull,
  subscription_type: lowerOrNull,
  terminal_type: wordOrNull,
  is_remote: z
    .boolean()
    .nullish()
    .transform((is) => is ?? null),
  core_metrics: z.object({
    num_sessions: count,
    lines_of_code: z.object({ added: count, removed: count }).nullish(),
    commits_by_claude_code: count,
    pull_requests_by_claude_code: count,
  }),
  tool_actions: z
    .record(word, tool)
    .nullish()
    .transform((tools) => tools ?? {}),
  model_breakdown: z.array(
    z.object({
      model: word,
      tokens: z.object({ input: count, output: count, cache_read: count, cache_creation: count }),
      estimated_cost: z.object({ currency: word, amount: z.union([z.string(), z.number()]) }),
    }),
  ),
});
const peoplePage = z.object({ data: z.array(personRow), has_more: z.boolean(), next_page: wordOrNull });

function peopleReport(): DatedReport {
  return {
    kind: 'days',
    id: 'claude_code',
    everyMs: HOUR_MS,
    backfillDays: PEOPLE_BACKFILL_DAYS,
    windowDays: 1,
    splitsDays: true,
    request: ({ start }, page) => ({
      path: '/v1/organizations/usage_report/claude_code',
      query: [
        ['starting_at', new Date(start).toISOString().slice(0, 10)],
        ['limit', String(PEOPLE_PER_PAGE)],
        ...pageQuery(page),
      ],
    }),
    read(body, { start }): DaysPage {
      const { data, has_more, next_page } = readReportBody(peoplePage, body);
      if (data.some(({ date }) => parseDay(Date.parse(date)) !== start))
        throw new MalformedReport('it contains another day');
      return {
        next: nextPage(has_more, next_page),
        days: [{ kind: 'people', day: start, rows: data.map(toReportedPerson) }],
        unknown: [],
      };
    },
  };
}

function toReportedPerson(row: z.output<typeof personRow>): ReportedPerson {
  const { actor, core_metrics: metrics } = row;
  return {
    actor:
      actor.type === 'api_actor'
        ? { kind: 'key', name: actor.api_key_name ?? '' }
        : { kind: 'user', name: actor.email_address ?? '' },
    customer: row.customer_type,
    subscription: row.subscription_type,
    terminal: row.terminal_type,
    isRemote: row.is_remote,
    sessions: metrics.num_sessions,
    linesAdded: metrics.lines_of_code?.added ?? 0,
    linesRemoved: metrics.lines_of_code?.removed ?? 0,
    commits: metrics.commits_by_claude_code,
    pullRequests: metrics.pull_requests_by_claude_code,
    tools: row.tool_actions,
    models: row.model_breakdown.map(({ model, tokens, estimated_cost: { amount, currency } }) => ({
      model,
      inputTokens: tokens.input,
      outputTokens: tokens.output,
      cacheReadTokens: tokens.cache_read,
      cacheWriteTokens: tokens.cache_creation,
      amount: decimalText(amount),
      unit: `${currency.toUpperCase()} cent`,
    })),
  };
}

function namesReport<Shape extends z.ZodType>(
  id: string,
  query: ReportRequest['query'],
  shape: Shape,
  nameOf: (row: z.output<Shape>) => NamesPage['names'][number],
): ListReport {
  const answer = z.object({ data: z.array(shape), has_more: z.boolean(), last_id: wordOrNull });
  return {
    kind: 'names',
    id,
    everyMs: HOUR_MS,
    request: (after) => ({
      path: `/v1/organizations/${id}`,
      query: [['limit', String(NAMES_PER_PAGE)], ...query, ...(after === null ? [] : [['after_id', after] as const])],
    }),
    read(body): NamesPage {
      const { data, has_more, last_id } = readReportBody(answer, body);
      return { names: data.map((row) => nameOf(row)), next: nextPage(has_more, last_id) };
    },
  };
}

function anthropicPage<Row extends z.ZodType>(row: Row) {
  return z.object({
    data: z.array(z.object({ starting_at: word, results: z.array(row) })),
    has_more: z.boolean(),
    next_page: wordOrNull,
  });
}

function anthropicDaysRequest(
  path: string,
  groups: readonly string[],
  limit: number,
  { start, end }: DayWindow,
  page: string | null,
): ReportRequest {
  return {
    path,
    query: [
      ['starting_at', instant(start)],
      ['ending_at', instant(end)],
      ['bucket_width', '1d'],
      ['limit', String(limit)],
      ...groups.map((group) => ['group_by[]', group] as const),
      ...pageQuery(page),
    ],
  };
}

function pageQuery(page: string | null): ReportRequest['query'] {
  return page === null ? [] : [['page', page]];
}

function instant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Anthropic's Admin API. */
export const anthropicReports: ReportSource = {
  provider: 'anthropic',
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  refuseKey: (key) =>
    key.startsWith('sk-ant-admin')
      ? null
      : 'This isn’t an admin key. Anthropic admin keys start with sk-ant-admin; an organization admin creates them in the Console under Settings, Admin keys. An API key for models cannot read reports.',
  test: () => ({ path: '/v1/organizations/me', query: [] }),
  readOrganization: (body) => readReportBody(z.object({ id: word, name: wordOrNull }), body),
  reports: [
    usageReport(),
    costReport(),
    namesReport(
      'api_keys',
      [],
      z.object({ id: word, name: word, partial_key_hint: wordOrNull, workspace_id: wordOrNull, status: wordOrNull }),
      (key) => ({
        kind: 'key',
        id: key.id,
        name: key.name,
        hint: key.partial_key_hint,
        project: key.workspace_id,
        status: key.status,
      }),
    ),
    namesReport(
      'workspaces',
      [['include_archived', 'true']],
      z.object({ id: word, name: word, archived_at: wordOrNull }),
      (one) => ({
        kind: 'project',
        id: one.id,
        name: one.name,
        hint: null,
        project: null,
        status: one.archived_at === null ? 'active' : 'archived',
      }),
    ),
    namesReport('users', [], z.object({ id: word, name: wordOrNull, email: wordOrNull }), (user) => ({
      kind: 'user',
      id: user.id,
      name: user.name ?? user.email ?? user.id,
      hint: user.email,
      project: null,
      status: null,
    })),
    peopleReport(),
  ],
};
