import { expect, test } from 'vitest';
import { TollbookError } from '../domain/errors.ts';
import { WEBHOOK_KINDS, WEBHOOK_TYPES } from '../domain/alerts/webhook-kinds.ts';
import { LOCAL_SOURCES } from '../domain/sessions/local-call.ts';
import { ApiClient } from './client.ts';
import { stdioAdvice } from './advice.ts';
import { ToolSession } from './session.ts';
import { tools } from './tools.ts';

/** Nobody is asked: what is wrong with a parameter is told before. */
const session = new ToolSession({
  client: new ApiClient({
    url: 'http://localhost:4700',
    apiKey: 'svc_sk_test',
    send: () => Promise.reject(new Error('The service was asked.')),
    advice: stdioAdvice,
  }),
  machine: { env: { HOME: '/nowhere' }, timeZone: 'UTC', codexSync: true },
  clock: () => Date.parse('2026-11-21T12:00:00Z'),
  onError: () => undefined,
});

type Bad = readonly [given: unknown, sentence: string];

const DATE: readonly Bad[] = [
  ['last week', 'is not a date Tollbook can read. Write 2026-01-31 or 2026-01-31T12:00:00Z'],
  ['2026-02-30', 'is not a date Tollbook can read'],
  [20260131, 'must be an ISO 8601 date or time such as 2026-01-31'],
  ['', 'must be an ISO 8601 date or time'],
];
const LIMIT: readonly Bad[] = [
  [0, 'must be a whole number from 1 to 100'],
  [101, 'must be a whole number from 1 to 100'],
  [2.5, 'must be a whole number from 1 to 100'],
  ['20', 'must be a whole number from 1 to 100'],
];
const SESSIONS: readonly Bad[] = [
  [0, 'must be a whole number from 1 to 1000'],
  [1_001, 'must be a whole number from 1 to 1000'],
];
const HOURS: readonly Bad[] = [
  [0, 'must be a number of hours above 0 and at most 87600'],
  [-1, 'must be a number of hours above 0'],
  [87_601, 'at most 87600'],
  ['24', 'must be a number of hours'],
];
const FLAG: readonly Bad[] = [['yes', 'must be true or false']];
const PERIOD: readonly Bad[] = [['last_year', 'must be one of last_24h, today, yesterday, last_7d, last_30d']];
const SAVINGS_PERIOD: readonly Bad[] = [['yearly', 'must be one of daily, weekly, monthly']];
const PREVIEW: readonly Bad[] = [
  [-1, 'must be a whole number from 0 to 100'],
  [101, 'must be a whole number from 0 to 100'],
];
const SOURCE: readonly Bad[] = [
  [undefined, `is missing: it must be one of ${LOCAL_SOURCES.join(', ')}`],
  ['nobody', `must be one of ${LOCAL_SOURCES.join(', ')}`],
];
const SYNC = {
  maxAgeHours: HOURS,
  dryRun: FLAG,
  previewLimit: PREVIEW,
  includeFileList: FLAG,
  apiKey: [['', 'must be an access token']] as const,
};
const EVENTS = 'must be a list of at least one of cost_spike, budget_warning, budget_exceeded';

const WEBHOOKS = WEBHOOK_TYPES.filter((type) => WEBHOOK_KINDS[type].inTools)
  .map((type) => type.toLowerCase())
  .join(', ');

/** Every parameter of every tool; `format` is everywhere the same. */
const TABLE: Readonly<Record<string, Readonly<Record<string, readonly Bad[]>>>> = {
  svc_get_usage_summary: {
    period: PERIOD,
    startDate: DATE,
    endDate: DATE,
  },
  svc_get_usage_by_tag: {
    tagKey: [
      [undefined, 'is missing: it must be a tag key'],
      ['', 'must be a tag key, for example project'],
      [7, 'must be a tag key'],
    ],
    startDate: DATE,
    endDate: DATE,
    limit: LIMIT,
  },
  svc_get_savings: { period: SAVINGS_PERIOD, date: DATE },
  svc_list_subscriptions: {},
  svc_get_savings_breakdown: { period: SAVINGS_PERIOD, date: DATE },
  svc_detect_anomalies: {},
  svc_list_alerts: { limit: LIMIT, unreadOnly: FLAG },
  svc_list_webhooks: {},
  svc_create_webhook: {
    name: [[undefined, 'is missing: it must be a name']],
    url: [
      [undefined, 'is missing: it must be a public https address'],
      [1, 'must be a public https address'],
    ],
    type: [
      [undefined, `is missing: it must be one of ${WEBHOOKS}`],
      ['email', `must be one of ${WEBHOOKS}`],
    ],
    events: [
      [undefined, 'is missing: it must be a list'],
      [[], EVENTS],
      ['cost_spike', EVENTS],
      [['cost_spike', 'everything'], 'budget_alert, anomaly'],
      [[1], EVENTS],
    ],
  },
  svc_get_limits: {
    of: [
      ['session', 'must be key or workspace'],
      ['key', 'no client on this machine uses a wrapped key'],
    ],
  },
  svc_get_model_pricing: { provider: [[1, 'must be a provider id, for example anthropic, openai or google']] },
  svc_sync_claude_code_usage: SYNC,
  svc_list_claude_code_sessions: { maxAgeHours: HOURS, limit: SESSIONS },
  svc_get_local_claude_code_usage: {
    maxAgeHours: HOURS,
    subscriptionPlan: [['max', 'must be one of pro, max_5x, max_20x']],
  },
  svc_sync_codex_usage: SYNC,
  svc_list_codex_sessions: { maxAgeHours: HOURS, limit: SESSIONS },
  svc_get_local_codex_usage: { maxAgeHours: HOURS },
  svc_sync_usage: { source: SOURCE, ...SYNC },
  svc_list_sessions: { source: SOURCE, maxAgeHours: HOURS, limit: SESSIONS },
  svc_get_local_usage: { source: SOURCE, maxAgeHours: HOURS },
  svc_list_refused_calls: {
    period: PERIOD,
    startDate: DATE,
    endDate: DATE,
    session: [['', 'must be a session']],
    agent: [[1, 'must be an agent']],
    run: [['', 'must be a run']],
    reason: [['budget', 'must be one of in_flight, counter_unavailable, rate_limited, exceeds_limit, spent']],
    limit: LIMIT,
  },
  svc_get_session_usage: { session: [[undefined, 'is missing: it must be a session']], limit: LIMIT },
};
const FORMAT: readonly Bad[] = [['html', 'must be markdown or json']];

/** What a tool takes besides the parameter that is wrong. */
const GOOD: Readonly<Record<string, Record<string, unknown>>> = {
  svc_get_usage_by_tag: { tagKey: 'project' },
  svc_get_session_usage: { session: 'night' },
  svc_sync_usage: { source: 'codex' },
  svc_list_sessions: { source: 'codex' },
  svc_get_local_usage: { source: 'codex' },
  svc_create_webhook: { name: 'a', url: 'https://example.com', type: 'slack', events: ['rate_limit'] },
};

async function refusal(name: string, given: Record<string, unknown>): Promise<string> {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  const context = session.context(AbortSignal.timeout(1_000), () => undefined);
  const outcome = await tool.call(given, context).catch((error: unknown) => error);
  if (outcome instanceof TollbookError && outcome.type === 'invalid') return outcome.message;
  throw new Error(`not refused: ${JSON.stringify(given)} ${String(outcome)}`);
}

test('the table has every tool and every parameter of the specification', () => {
  const shapes = Object.fromEntries(tools.map(({ name, input }) => [name, Object.keys(input.shape).toSorted()]));
  const table = Object.entries(TABLE).map(([name, rows]) => [name, [...Object.keys(rows), 'format'].toSorted()]);
  expect(shapes).toEqual(Object.fromEntries(table));
});

const cases = Object.entries(TABLE).flatMap(([tool, parameters]) =>
  Object.entries({ ...parameters, format: FORMAT }).flatMap(([parameter, rows]) =>
    rows.map(([given, sentence]) => ({ tool, parameter, given, sentence })),
  ),
);

test.each(cases)('$tool: $parameter $given is refused by name, with what is allowed', async (row) => {
  const { tool, parameter, given, sentence } = row;
  const message = await refusal(tool, { ...GOOD[tool], [parameter]: given });
  expect(message).toContain(`${parameter} ${sentence.startsWith('is') || sentence.startsWith('must') ? sentence : ''}`);
  expect(message).toContain(sentence);
});

test.each(tools.map(({ name }) => name))('%s names the parameters it has when it is given another', async (name) => {
  const message = await refusal(name, { ...GOOD[name], tag_key: 1 });
  expect(message).toContain('Unknown parameter "tag_key"; parameters: ');
  expect(message).toContain('format');
});

test('dates in the wrong order are refused with what to do', async () => {
  const given = { startDate: '2026-02-01', endDate: '2026-01-01' };
  expect(await refusal('svc_get_usage_summary', given)).toContain(
    'begins after its end. Exchange startDate and endDate',
  );
});
