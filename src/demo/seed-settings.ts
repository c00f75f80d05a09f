import type { RouteResponse, RouteKey, RouteRequest } from '../contract/routes.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import type { OrganizationUse } from './organization.ts';
import { RECORDS_MAX } from '../domain/sessions/session-record.ts';
import { demoUploads } from './assistants.ts';
import type { RandomSource } from './teams.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';

const WORKSPACE = 'ws_default';
const PLAN_DAYS = 30;
const PLAN_SEATS = 3;

export interface SeedSettingsParts {
  /** Calls the demo's own API as the owner; throws for what is refused. */
  readonly call: <Key extends RouteKey>(key: Key, parts: RouteRequest<Key>) => Promise<RouteResponse<Key>>;
  /** Uploads sessions of a machine with its access token. */
  readonly upload: (token: string, body: RouteRequest<'POST /api/mcp/sync/sessions'>['body']) => Promise<unknown>;
  readonly raise: (alert: Alert) => Promise<void>;
  /** The episode of an alert is over. */
  readonly over: (episode: string) => Promise<void>;
  /** URL of the sandbox receiver for webhooks. */
  readonly receiver: string;
  /** Sets the usage that the sandbox organization reports. */
  readonly report: (uses: readonly OrganizationUse[]) => Promise<void>;
  readonly keys: readonly { readonly id: string; readonly team: string }[];
  readonly machines: readonly { readonly name: string; readonly secret: string }[];
  readonly now: number;
  readonly random: RandomSource;
}

/** Everything that people would have set up by now, so that no page of the demo is empty. */
export async function seedDemoSettings(parts: SeedSettingsParts): Promise<void> {
  await addWebhooks(parts);
  await addOrganization(parts);
  await addSessions(parts);
  await addPrice(parts);
  await addLimits(parts);
  await raiseAlerts(parts);
}

/** One that works, and one that often does not, so that there are attempts to look at. */
async function addWebhooks({ call, receiver }: SeedSettingsParts): Promise<void> {
  const events = ['COST_SPIKE', 'BUDGET_WARNING', 'BUDGET_EXCEEDED', 'ERROR_SPIKE', 'RATE_LIMIT', 'UNPRICED_MODEL'];
  await call('POST /api/mcp/webhooks', {
    body: { name: 'DEMO on call', url: `${receiver}/steady`, type: 'CUSTOM', events },
  });
  await call('POST /api/mcp/webhooks', {
    body: {
      name: 'DEMO flaky receiver',
      url: `${receiver}/flaky`,
      type: 'CUSTOM',
      events: ['COST_SPIKE', 'ERROR_SPIKE'],
    },
  });
}

/** Adds an organization whose reports contain the gateway's calls and some unproxied usage. */
async function addOrganization({ call, report }: SeedSettingsParts): Promise<void> {
  const { points } = await call('GET /api/mcp/usage/series', {
    query: { provider: 'anthropic', source: 'proxy', by: 'model', step: 'day', limit: 100 },
  });
  await report(
    points.map(({ start, value, inputTokens, cacheReadTokens, outputTokens, cost }) => ({
      day: start.slice(0, 10),
      model: value ?? 'unknown',
      input: inputTokens - cacheReadTokens,
      cacheRead: cacheReadTokens,
      output: outputTokens,
      cost,
    })),
  );
  const adminKey = 'sk-ant-admin01-demo-of-the-sandbox';
  await call('POST /api/manage/admin-keys', {
    body: { name: 'DEMO organization', provider: 'anthropic', adminKey },
  });
}

/** Plans of one assistant, which are worth it, and the session files of all people. */
async function addSessions({ call, upload, machines, now, random }: SeedSettingsParts): Promise<void> {
  const startedAt = new Date(now - 2 * PLAN_DAYS * DAY_MS).toISOString().slice(0, 10);
  await call('POST /api/manage/subscriptions', { body: { plan: 'max_5x', seats: PLAN_SEATS, startedAt } });
  for (const { machine, source, sessions } of demoUploads(now, random)) {
    const token = machines.find(({ name }) => name === machine)?.secret ?? '';
    for (let from = 0; from < sessions.length; from += RECORDS_MAX)
      await upload(token, { source, sessions: sessions.slice(from, from + RECORDS_MAX) });
  }
}

/** A contract rate. */
async function addPrice({ call, now }: SeedSettingsParts): Promise<void> {
  await call('POST /api/manage/prices', {
    body: {
      provider: 'openai',
      model: 'text-embedding-3-small',
      usdPerMillion: { input: '0.018' },
      from: new Date(now).toISOString(),
    },
  });
}

/** Some near their amounts, one that is reached soon. */
async function addLimits({ call, keys, now }: SeedSettingsParts): Promise<void> {
  const { today, month } = await call('GET /api/mcp/usage/overview', {});
  const keyOf = (team: string) => ({ kind: 'key' as const, keyId: keys.find((key) => key.team === team)?.id ?? '' });
  const agents = keyOf('DEMO coding agents');
  const cents = (usd: number): number => Math.ceil(usd * 100) / 100;
  const limits: readonly NewDemoLimit[] = [
    {
      scope: { kind: 'workspace' },
      unit: 'usd',
      amount: cents(Math.max(20, month.toDate.cost / 0.87)),
      window: 'month',
      action: 'warn',
      label: 'Monthly budget',
    },
    {
      scope: agents,
      unit: 'usd',
      amount: cents((await spentThisWeek(call, 'key', agents.keyId)) + LEFT_USD),
      window: 'week',
      action: 'block',
      label: 'Agents, weekly',
    },
    {
      scope: { kind: 'each_tag', key: 'team' },
      unit: 'usd',
      amount: cents(Math.max(10, today.cost)),
      window: 'day',
      action: 'warn',
      label: 'Each team, daily',
    },
    { scope: keyOf('DEMO search'), unit: 'calls', amount: 60, window: 'hour', action: 'block', label: 'Search calls' },
    {
      scope: { kind: 'model', pattern: `${DEAR_MODEL}*` },
      unit: 'usd',
      amount: cents((await spentThisWeek(call, 'model', DEAR_MODEL)) / 0.93 + 0.1),
      window: 'week',
      action: 'warn',
    },
    { scope: { kind: 'workspace' }, unit: 'concurrency', amount: 50, window: 'total', action: 'block' },
  ];
  const made: { id: string }[] = [];
  for (const limit of limits)
    made.push(
      await call('POST /api/manage/limits', {
        body: { thresholds: [50, 80, 100], ...limit, label: limit.label ?? null },
      }),
    );
  // Something for the audit log to show before and after.
  const until = new Date(now + 5 * HOUR_MS).toISOString();
  await call('POST /api/manage/limits/{id}/raise', {
    params: { id: made[RAISED]?.id ?? '' },
    body: { amount: cents(today.cost + 50), until },
  });
}

type NewDemoLimit = RouteRequest<'POST /api/manage/limits'>['body'];

/** Amount left of a blocking limit at the start: some minutes of demo traffic. */
const LEFT_USD = 1.5;
const DEAR_MODEL = 'claude-opus-4-8';

async function spentThisWeek(call: SeedSettingsParts['call'], by: 'key' | 'model', value: string): Promise<number> {
  const query = { by, step: 'week', limit: 100, source: 'proxy' } as const;
  const { starts, points } = await call('GET /api/mcp/usage/series', { query });
  const found = points.find((point) => point.start === starts.at(-1) && point.value === value);
  // Limits count all that uncertain calls may have cost.
  return (found?.cost ?? 0) + (found?.uncertainUpTo ?? 0);
}

/** Index of the limit that is raised temporarily. */
const RAISED = 2;

/** Creates alerts of past weeks, some of them resolved or read. */
async function raiseAlerts({ call, raise, over, now }: SeedSettingsParts): Promise<void> {
  const hourOf = (daysAgo: number, hour: number): number =>
    Math.floor(now / DAY_MS - daysAgo) * DAY_MS + hour * HOUR_MS;
  const alerts = [
    pastAlert('COST_SPIKE', 'critical', hourOf(9, 19), {
      title: 'Cost is 8.7 times as high as normal',
      message: 'Spending in one hour was $2.61, normally $0.30; the key "DEMO coding agents" contributed most.',
      value: 2.61,
      threshold: 0.95,
      evidence: { unit: 'usd', baseline: 0.3 },
    }),
    pastAlert('ERROR_SPIKE', 'warning', hourOf(4, 8), {
      title: 'One in five calls fails',
      message: '21% of the calls of the key "DEMO checkout" failed within an hour, normally 1.5%.',
      value: 0.21,
      threshold: 0.06,
      evidence: { unit: 'share', baseline: 0.015 },
    }),
    pastAlert('UNUSUAL_ACTIVITY', 'info', hourOf(1, 3), {
      title: 'Activity at an unusual hour',
      message: 'The key "DEMO research" made 64 calls between 03:00 and 04:00, normally none.',
      value: 64,
      threshold: 5,
      evidence: { unit: 'calls', baseline: 0 },
    }),
  ];
  for (const alert of alerts) await raise(alert);
  for (const { episode } of alerts.slice(0, 2)) await over(episode);
  const found = await call('GET /api/mcp/alerts', { query: { type: 'COST_SPIKE' } });
  for (const { id } of found) await call('POST /api/mcp/alerts/{id}/read', { params: { id } });
}

function pastAlert(
  type: Alert['type'],
  severity: Alert['severity'],
  at: number,
  fields: Pick<Alert, 'title' | 'message' | 'value' | 'threshold' | 'evidence'>,
): Alert {
  return {
    type,
    severity,
    workspaceId: WORKSPACE,
    episode: `demo:${type}`,
    createdAt: at + HOUR_MS,
    scope: {},
    period: { start: at, end: at + HOUR_MS },
    ...fields,
  };
}
