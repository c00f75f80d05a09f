import { expect, test } from 'vitest';
import { anthropicReports } from './anthropic.ts';
import { decimalText, nanoFromDecimal } from './shapes.ts';
import { PROVIDERS } from '../providers/providers.ts';
import { openaiReports } from './openai.ts';
import type { DatedReport, ListReport, ReportSource } from './source.ts';
import { MalformedReport } from './source.ts';
import { REPORTING_PROVIDERS } from './sources.ts';

const DAY = Date.parse('2026-11-20T00:00:00Z');
const WINDOW = { start: DAY, end: DAY + 86_400_000 };

function dated(source: ReportSource, id: string): DatedReport {
  const report = source.reports.find((one) => one.id === id);
  if (report?.kind !== 'days') throw new Error(`no report ${id}`);
  return report;
}
function listed(source: ReportSource, id: string): ListReport {
  const report = source.reports.find((one) => one.id === id);
  if (report?.kind !== 'names') throw new Error(`no list ${id}`);
  return report;
}
const query = (request: { query: readonly (readonly [string, string])[] } | null): string =>
  new URLSearchParams(request?.query.map(([name, value]): [string, string] => [name, value])).toString();

/** The bodies are those of the providers' documentation. */
const messagesRow = {
  uncached_input_tokens: 1500,
  cache_creation: { ephemeral_1h_input_tokens: 1000, ephemeral_5m_input_tokens: 500 },
  cache_read_input_tokens: 200,
  output_tokens: 500,
  server_tool_use: { web_search_requests: 10 },
  api_key_id: 'apikey_01Rj',
  workspace_id: 'wrkspc_01J',
  model: 'claude-opus-5',
  service_tier: 'standard',
  context_window: '0-200k',
  inference_geo: 'global',
  account_id: null,
  service_account_id: null,
};
const bucket = (results: unknown[]) => ({
  starting_at: '2026-11-20T00:00:00Z',
  ending_at: '2026-11-21T00:00:00Z',
  results,
});
const pageOf = (...results: unknown[]) => ({ data: [bucket(results)], has_more: true, next_page: 'page_MjAy' });

test('Anthropic’s usage keeps every dimension and class apart and drops unknown fields', () => {
  const report = dated(anthropicReports, 'messages');
  expect(report.read(pageOf({ ...messagesRow, speed: 'fast', note: 'x' }), WINDOW)).toEqual({
    next: 'page_MjAy',
    unknown: [],
    days: [
      {
        kind: 'usage',
        day: DAY,
        rows: [
          {
            key: 'apikey_01Rj',
            project: 'wrkspc_01J',
            model: 'claude-opus-5',
            tier: 'standard',
            context: '0-200k',
            geo: 'global',
            speed: 'fast',
            amounts: { input: 1500, cacheRead: 200, cacheWrite5m: 500, cacheWrite1h: 1000, output: 500, webSearch: 10 },
            requests: null,
          },
        ],
      },
    ],
  });
  expect(query(report.request(WINDOW, 'page_x'))).toBe(
    'starting_at=2026-11-20T00%3A00%3A00Z&ending_at=2026-11-21T00%3A00%3A00Z&bucket_width=1d&limit=7&group_by%5B%5D=api_key_id&group_by%5B%5D=workspace_id&group_by%5B%5D=model&group_by%5B%5D=service_tier&group_by%5B%5D=context_window&group_by%5B%5D=inference_geo&group_by%5B%5D=speed&page=page_x',
  );
  expect(report.request(WINDOW, null).headers).toEqual({ 'anthropic-beta': 'fast-mode-2026-02-01' });
});

test('rows that are equal in all stored fields are combined, and empty ones are dropped', () => {
  const nothing = Object.fromEntries(Object.keys(messagesRow).map((name) => [name, null]));
  const { days } = dated(anthropicReports, 'messages').read(
    pageOf(messagesRow, { ...messagesRow, account_id: 'user_1' }, nothing),
    WINDOW,
  );
  expect(days[0]?.rows).toMatchObject([{ amounts: { input: 3000, cacheWrite1h: 2000, webSearch: 20 } }]);
});

test('an unknown class of tokens or tool is named if its amount is above 0', () => {
  const row = {
    ...messagesRow,
    thinking_tokens: 5,
    empty_tokens: 0,
    cache_creation: { ...messagesRow.cache_creation, ephemeral_24h_input_tokens: 1 },
    server_tool_use: { web_search_requests: 1, web_fetch_requests: 2 },
  };
  const { unknown } = dated(anthropicReports, 'messages').read(pageOf(row), WINDOW);
  expect(unknown).toEqual(['thinking_tokens', 'ephemeral_24h_input_tokens', 'web_fetch_requests']);
  const openai = dated(openaiReports, 'completions').read(
    openaiPage({ ...completionsRow, input_video_tokens: 7 }),
    WINDOW,
  );
  expect(openai.unknown).toEqual(['input_video_tokens']);
});

test('Anthropic’s costs are in cents, and their exact text is kept with the nano-dollars', () => {
  const row = {
    currency: 'USD',
    amount: '123.78912',
    workspace_id: 'wrkspc_01J',
    description: 'Claude Opus 5 Usage - Input Tokens',
    cost_type: 'tokens',
    model: 'claude-opus-5',
    token_type: 'cache_creation.ephemeral_1h_input_tokens',
    context_window: '0-200k',
    service_tier: 'standard',
    inference_geo: 'global',
  };
  const { days } = dated(anthropicReports, 'cost').read(pageOf(row, { ...row, currency: 'EUR' }), WINDOW);
  expect(days[0]?.rows).toEqual([
    {
      key: null,
      project: 'wrkspc_01J',
      model: 'claude-opus-5',
      tier: 'standard',
      context: '0-200k',
      geo: 'global',
      kind: 'tokens',
      class: 'cacheWrite1h',
      line: 'Claude Opus 5 Usage - Input Tokens',
      amount: '123.78912',
      unit: 'USD cent',
      nanoUsd: 1_237_891_200,
    },
    expect.objectContaining({ amount: '123.78912', unit: 'EUR cent', nanoUsd: null }),
  ]);
});

const person = {
  date: '2026-11-20T00:00:00Z',
  organization_id: '...',
  customer_type: 'api',
  subscription_type: null,
  actor: { type: 'api_actor', api_key_name: 'ci' },
  terminal_type: 'vscode',
  is_remote: false,
  core_metrics: {
    num_sessions: 5,
    lines_of_code: { added: 1543, removed: 892 },
    commits_by_claude_code: 12,
    pull_requests_by_claude_code: 2,
  },
  tool_actions: { edit_tool: { accepted: 45, rejected: 5 }, write_tool: { accepted: 8, rejected: 1 } },
  model_breakdown: [
    {
      model: 'claude-opus-5',
      tokens: { input: 100000, output: 35000, cache_read: 10000, cache_creation: 5000 },
      estimated_cost: { currency: 'USD', amount: 1025 },
    },
  ],
};

test('people are read unchanged, and a day other than the requested one is refused', () => {
  const report = dated(anthropicReports, 'claude_code');
  const answer = { data: [person], has_more: false, next_page: null };
  expect(report.read(answer, WINDOW).days).toMatchObject([
    {
      kind: 'people',
      rows: [
        {
          actor: { kind: 'key', name: 'ci' },
          sessions: 5,
          commits: 12,
          tools: { edit_tool: { accepted: 45, rejected: 5 } },
          models: [{ inputTokens: 100000, cacheWriteTokens: 5000, amount: '1025', unit: 'USD cent' }],
        },
      ],
    },
  ]);
  const other = { start: DAY + 86_400_000, end: DAY + 2 * 86_400_000 };
  expect(() => report.read(answer, other)).toThrow('another day');
  expect(query(report.request(WINDOW, null))).toBe('starting_at=2026-11-20&limit=1000');
});

test('keys have names and hints, workspaces and users have display names', () => {
  const list = (data: unknown[]) => ({ data, first_id: 'a', last_id: 'z', has_more: true });
  const key = {
    id: 'apikey_01Rj',
    type: 'api_key',
    name: 'Prod',
    partial_key_hint: 'sk-ant-api03-R2D...igAA',
    status: 'active',
    workspace_id: 'wrkspc_01J',
  };
  expect(listed(anthropicReports, 'api_keys').read(list([key]), null, [])).toEqual({
    next: 'z',
    names: [
      {
        kind: 'key',
        id: 'apikey_01Rj',
        name: 'Prod',
        hint: 'sk-ant-api03-R2D...igAA',
        project: 'wrkspc_01J',
        status: 'active',
      },
    ],
  });
  const workspace = { id: 'wrkspc_01J', name: 'Old', archived_at: '2026-01-01T00:00:00Z' };
  expect(listed(anthropicReports, 'workspaces').read(list([workspace]), null, []).names).toMatchObject([
    { status: 'archived' },
  ]);
  const user = { id: 'user_1', email: 'ada@example.com', name: '' };
  expect(listed(anthropicReports, 'users').read(list([user]), null, []).names).toMatchObject([
    { name: 'ada@example.com', hint: 'ada@example.com' },
  ]);
  expect(query(listed(anthropicReports, 'users').request('user_9', []))).toBe('limit=1000&after_id=user_9');
});

const completionsRow = {
  object: 'organization.usage.completions.result',
  input_tokens: 1000,
  output_tokens: 500,
  num_model_requests: 5,
  input_cached_tokens: 800,
  input_cache_write_tokens: 0,
  input_uncached_tokens: 200,
  input_audio_tokens: 0,
  output_audio_tokens: 0,
  project_id: null,
  user_id: null,
  api_key_id: 'key_1',
  model: 'gpt-5.4',
  batch: null,
  service_tier: 'Default',
};
const openaiPage = (...results: unknown[]) => ({
  object: 'page',
  data: [{ object: 'bucket', start_time: DAY / 1_000, end_time: DAY / 1_000 + 86_400, results }],
  has_more: false,
  next_page: null,
});

test('OpenAI’s prompt includes its cached part: the classes never overlap and add up to it', () => {
  const report = dated(openaiReports, 'completions');
  expect(report.read(openaiPage(completionsRow), WINDOW).days[0]?.rows).toEqual([
    {
      key: 'key_1',
      project: null,
      model: 'gpt-5.4',
      tier: 'default',
      context: null,
      geo: null,
      speed: null,
      amounts: { input: 200, cacheRead: 800, output: 500 },
      requests: 5,
    },
  ]);
  const mixed = {
    ...completionsRow,
    input_cache_write_tokens: 50,
    input_cache_write_12h_tokens: 20,
    input_audio_tokens: 30,
    input_cached_audio_tokens: 300,
    input_image_tokens: 10,
    output_audio_tokens: 40,
    output_image_tokens: 60,
    batch: true,
  };
  const [row] = report.read(openaiPage(mixed), WINDOW).days[0]?.rows ?? [];
  expect(row).toMatchObject({
    tier: 'batch',
    amounts: {
      input: 90,
      inputAudio: 30,
      inputImage: 10,
      cacheRead: 500,
      cacheReadAudio: 300,
      cacheWrite: 50,
      cacheWrite12h: 20,
      output: 400,
      outputAudio: 40,
      outputImage: 60,
    },
  });
  expect(() => report.read(openaiPage({ ...completionsRow, input_tokens: 1 }), WINDOW)).toThrow('exceed the whole');
});

test('OpenAI’s other reports have their own measures, and requests that are counted elsewhere are left out', () => {
  const read = (id: string, row: object) => dated(openaiReports, id).read(openaiPage(row), WINDOW).days[0]?.rows;
  expect(read('embeddings', { input_tokens: 9, num_model_requests: 2, model: 'e' })).toMatchObject([
    { amounts: { input: 9 }, requests: 2 },
  ]);
  expect(read('images', { images: 3, num_model_requests: 1 })).toMatchObject([{ amounts: { image: 3 }, requests: 1 }]);
  expect(read('vector_stores', { usage_bytes: 77 })).toMatchObject([{ amounts: { storedByte: 77 }, requests: null }]);
  expect(read('web_search_calls', { num_requests: 4, num_model_requests: 2 })).toMatchObject([
    { amounts: { webSearch: 4 }, requests: null },
  ]);
});

test('OpenAI’s costs are in dollars, and some lines name model and class', () => {
  const row = {
    amount: { value: 0.06, currency: 'usd' },
    line_item: 'gpt-5.4, input_tokens',
    project_id: 'proj_1',
    api_key_id: 'key_1',
  };
  const other = { ...row, amount: { value: 1e-7, currency: 'usd' }, line_item: 'Web search' };
  expect(dated(openaiReports, 'costs').read(openaiPage(row, other), WINDOW).days[0]?.rows).toMatchObject([
    { model: 'gpt-5.4', class: 'input', amount: '0.06', unit: 'USD', nanoUsd: 60_000_000, key: 'key_1' },
    { model: null, class: null, line: 'Web search', amount: '0.0000001', nanoUsd: 100 },
  ]);
});

test('keys of OpenAI are listed project by project', () => {
  const keys = listed(openaiReports, 'project_keys');
  const projects = ['proj_a', 'proj_b'];
  const page = (more: boolean) => ({
    data: [{ id: 'key_1', name: 'one', redacted_value: 'sk-...aaaa' }],
    has_more: more,
    last_id: 'key_1',
  });
  expect(keys.request(null, [])).toBeNull();
  expect(keys.request(null, projects)?.path).toBe('/v1/organization/projects/proj_a/api_keys');
  const first = keys.read(page(true), null, projects);
  expect(first.names).toMatchObject([{ id: 'key_1', project: 'proj_a', hint: 'sk-...aaaa' }]);
  expect(query(keys.request(first.next, projects))).toBe('limit=100&after=key_1');
  const second = keys.read(page(false), first.next, projects);
  expect(keys.request(second.next, projects)?.path).toBe('/v1/organization/projects/proj_b/api_keys');
  expect(keys.read(page(false), second.next, projects).next).toBeNull();
  // A project that is gone meanwhile.
  expect(keys.read(page(false), 'proj_a ', ['proj_b']).next).toBe('proj_b ');
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['another thing', { data: 'x' }],
  ['a negative count', pageOf({ ...messagesRow, output_tokens: -1 })],
  ['a fraction', pageOf({ ...messagesRow, output_tokens: 1.5 })],
  ['a count beyond exact numbers', pageOf({ ...messagesRow, output_tokens: 2 ** 53 })],
  ['an endless name', pageOf({ ...messagesRow, model: 'm'.repeat(600) })],
  ['an hour', { data: [{ ...bucket([]), starting_at: '2026-11-20T01:00:00Z' }], has_more: false, next_page: null }],
  ['a next page without its place', { data: [bucket([])], has_more: true, next_page: null }],
])('an answer with %s is refused', (_, body) => {
  expect(() => dated(anthropicReports, 'messages').read(body, WINDOW)).toThrow(MalformedReport);
});

test('other kinds of keys are refused with an error that says what is needed', () => {
  expect(anthropicReports.refuseKey('sk-ant-api03-x')).toContain('sk-ant-admin');
  expect(anthropicReports.refuseKey('sk-ant-admin01-x')).toBeNull();
  expect(openaiReports.refuseKey('sk-proj-x')).toContain('sk-admin-');
  expect(openaiReports.refuseKey('sk-admin-x')).toBeNull();
});

test.each<[string | number, number, string, number]>([
  ['123.78912', 2, '123.78912', 1_237_891_200],
  ['0.00000005', 2, '0.00000005', 1],
  ['0.00000004', 2, '0.00000004', 0],
  ['007.50', 0, '7.5', 7_500_000_000],
  [1e-7, 0, '0.0000001', 100],
  [1.5e3, 0, '1500', 1_500_000_000_000],
  ['-0.5', 0, '-0.5', -500_000_000],
  [0, 2, '0', 0],
])('%j in a unit of 10^-%i dollars is %s, %i nano-dollars', (value, digits, text, nano) => {
  expect(decimalText(value)).toBe(text);
  expect(nanoFromDecimal(text, digits)).toBe(nano);
});

test.each(['', 'x', '1,5', '1e9999', 'NaN', '9'.repeat(80)])('%j is not an amount', (text) => {
  expect(() => decimalText(text)).toThrow(MalformedReport);
});

test('providers that declare reports have a report source', () => {
  const declared = PROVIDERS.filter(({ hasReports }) => hasReports).map(({ id }) => id);
  expect(declared.toSorted()).toEqual(REPORTING_PROVIDERS.toSorted());
});
