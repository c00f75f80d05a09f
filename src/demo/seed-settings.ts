import type { RouteResponse, RouteKey, RouteRequest } from '../contract/routes.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import type { ReportedOutcome } from '../domain/observed/outcome.ts';
import type { OrganizationUse } from './organization.ts';
import { RECORDS_MAX } from '../domain/sessions/session-record.ts';
import { demoOutcomes, demoUploads } from './assistants.ts';
import type { DemoMachine } from './seed.ts';
import { spikeHour } from './history.ts';
import { shortDollars } from '../domain/text/money.ts';
import { AGENTS_TEAM, type RandomSource } from './teams.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';

const WORKSPACE = 'ws_default';
const PLAN_DAYS = 30;
const PLAN_SEATS = 3;
const GRANT_USD = 8_000;
const COMMITMENT_USD = 30_000;

export interface SeedSettingsParts {
  /** Calls the demo's own API as the owner; throws for what is refused. */
  readonly call: <Key extends RouteKey>(key: Key, parts: RouteRequest<Key>) => Promise<RouteResponse<Key>>;
  /** Uploads sessions of a machine with its access token. */
  readonly upload: (token: string, body: RouteRequest<'POST /api/mcp/sync/sessions'>['body']) => Promise<unknown>;
  readonly raise: (alert: Alert) => Promise<void>;
  /** The episode of an alert is over. */
  readonly over: (episode: string) => Promise<void>;
  /** Stores outcomes of assistants. */
  readonly recordOutcomes: (outcomes: readonly ReportedOutcome[]) => Promise<void>;
  /** Sets the usage that the sandbox organization reports. */
  readonly report: (uses: readonly OrganizationUse[]) => Promise<void>;
  readonly keys: readonly { readonly id: string; readonly team: string }[];
  readonly machines: readonly DemoMachine[];
  readonly now: number;
  readonly random: RandomSource;
}

/** Everything that people would have set up by now, so that no page of the demo is empty. */
export async function seedDemoSettings(parts: SeedSettingsParts): Promise<void> {
  await addOrganization(parts);
  await addBillLines(parts);
  await addSessions(parts);
  await addPrice(parts);
  await addLimits(parts);
  await raiseAlerts(parts);
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
    body: { name: 'Acme', provider: 'anthropic', adminKey },
  });
}

/** Adds a grant that is partly used, and a commitment that is on its way. */
async function addBillLines({ call, now }: SeedSettingsParts): Promise<void> {
  const dayAfter = (days: number): string => new Date(now + days * DAY_MS).toISOString().slice(0, 10);
  const lines = [
    { kind: 'credit', name: 'Startup credits', amount: GRANT_USD, from: dayAfter(-40), until: dayAfter(50) },
    { kind: 'commitment', name: 'Yearly minimum', amount: COMMITMENT_USD, from: dayAfter(-90), until: dayAfter(275) },
  ] as const;
  for (const line of lines) await call('POST /api/manage/bill-lines', { body: { provider: 'anthropic', ...line } });
}

/** Adds plans of one assistant, which are worth it, and the session files and outcomes of all people. */
async function addSessions(parts: SeedSettingsParts): Promise<void> {
  const { call, upload, recordOutcomes, machines, now, random } = parts;
  const startedAt = new Date(now - 2 * PLAN_DAYS * DAY_MS).toISOString().slice(0, 10);
  await call('POST /api/manage/subscriptions', { body: { plan: 'max_5x', seats: PLAN_SEATS, startedAt } });
  const uploads = demoUploads(now, random);
  for (const { machine, source, sessions } of uploads) {
    const token = machines.find(({ name }) => name === machine)?.secret ?? '';
    for (let from = 0; from < sessions.length; from += RECORDS_MAX)
      await upload(token, { source, sessions: sessions.slice(from, from + RECORDS_MAX) });
  }
  const ids = new Map(machines.map(({ name, id }) => [name, id]));
  await recordOutcomes(demoOutcomes(uploads, ids, random));
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

/** Round budgets, with room for the pace of the history. */
async function addLimits({ call, keys, now }: SeedSettingsParts): Promise<void> {
  const keyOf = (team: string) => ({ kind: 'key' as const, keyId: keys.find((key) => key.team === team)?.id ?? '' });
  const agents = keyOf(AGENTS_TEAM.name);
  const week = await weeklySpend(call);
  const limits: readonly NewDemoLimit[] = [
    {
      scope: { kind: 'workspace' },
      unit: 'usd',
      amount: roundUp(week('') * WEEKS_OF_MONTH * MONTH_ROOM, MONTH_STEP_USD),
      window: 'month',
      action: 'warn',
      label: 'Monthly budget',
    },
    {
      scope: agents,
      unit: 'usd',
      amount: roundUp(week(agents.keyId) * WEEK_ROOM, WEEK_STEP_USD),
      window: 'week',
      action: 'block',
      label: 'Agents, weekly',
    },
    {
      scope: { kind: 'each_tag', key: 'team' },
      unit: 'usd',
      amount: EACH_TEAM_DAILY_USD,
      window: 'day',
      action: 'warn',
      label: 'Each team, daily',
    },
    { scope: keyOf('Search'), unit: 'calls', amount: 60, window: 'hour', action: 'block', label: 'Search calls' },
    {
      scope: { kind: 'model', pattern: `${DEAR_MODEL}*` },
      unit: 'usd',
      amount: roundUp(week('') * WEEK_ROOM, WEEK_STEP_USD),
      window: 'week',
      action: 'warn',
    },
    { scope: { kind: 'workspace' }, unit: 'concurrency', amount: 50, window: 'total', action: 'block' },
  ];
  const made: { id: string }[] = [];
  for (const limit of limits)
    made.push(
      await call('POST /api/manage/limits', {
        body: { thresholds: [], ...limit, label: limit.label ?? null },
      }),
    );
  // Something for the audit log to show before and after.
  const until = new Date(now + 5 * HOUR_MS).toISOString();
  await call('POST /api/manage/limits/{id}/raise', {
    params: { id: made[RAISED]?.id ?? '' },
    body: { amount: EACH_TEAM_DAILY_USD + 100, until },
  });
}

type NewDemoLimit = RouteRequest<'POST /api/manage/limits'>['body'];

const DEAR_MODEL = 'claude-opus-4-8';
const EACH_TEAM_DAILY_USD = 400;
const WEEKS_OF_MONTH = 4.4;
/** Room above the usual spend, so that no limit is reached in a demo of some hours. */
const MONTH_ROOM = 1.2;
const MONTH_STEP_USD = 500;
/** Also for the week of the spike. */
const WEEK_ROOM = 1.5;
const WEEK_STEP_USD = 100;

function roundUp(usd: number, step: number): number {
  return Math.max(1, Math.ceil(usd / step)) * step;
}

/** Returns the mean cost of a week by key; '' = of all. */
async function weeklySpend(call: SeedSettingsParts['call']): Promise<(keyId: string) => number> {
  const { points } = await call('GET /api/mcp/usage/series', {
    query: { by: 'key', step: 'month', limit: 100, source: 'proxy' },
  });
  return (keyId) =>
    points.filter(({ value }) => keyId === '' || value === keyId).reduce((sum, { cost }) => sum + cost, 0) /
    WEEKS_OF_MONTH;
}

/** Index of the limit that is raised temporarily. */
const RAISED = 2;

/** Creates the alert of the spike in the history, resolved and read. */
async function raiseAlerts({ call, raise, over, keys, now }: SeedSettingsParts): Promise<void> {
  const at = spikeHour(now);
  const { points } = await call('GET /api/mcp/usage/series', {
    query: {
      startDate: new Date(at - 7 * DAY_MS).toISOString(),
      endDate: new Date(at + HOUR_MS).toISOString(),
      step: 'hour',
      by: 'key',
    },
  });
  const key = keys.find(({ team }) => team === AGENTS_TEAM.name);
  const hourCost = (start: number, keyId?: string): number =>
    points
      .filter((point) => Date.parse(point.start) === start && (keyId === undefined || point.value === keyId))
      .reduce((sum, { cost }) => sum + cost, 0);
  const usual = (keyId?: string): number =>
    Array.from({ length: 7 }, (_, day) => hourCost(at - (day + 1) * DAY_MS, keyId)).toSorted((a, b) => a - b)[3] ?? 0;
  const [value, baseline] = [hourCost(at), usual()];
  const [ofKey, usualOfKey] = [hourCost(at, key?.id), usual(key?.id)];
  const alert = pastAlert('COST_SPIKE', 'critical', at, {
    title: 'Cost spike',
    message: `Spending in one hour was ${shortDollars(value)}, normally ${shortDollars(baseline)}. The key "${AGENTS_TEAM.name}" contributed most.`,
    value,
    threshold: baseline * 4,
    evidence: {
      unit: 'usd',
      baseline,
      movers: [
        {
          scope: { key: key?.id ?? '' },
          name: `key ${AGENTS_TEAM.name}`,
          value: ofKey,
          baseline: usualOfKey,
          share: value > baseline ? Math.min(1, (ofKey - usualOfKey) / (value - baseline)) : 0,
          isNew: false,
        },
      ],
    },
  });
  await raise(alert);
  await over(alert.episode);
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
