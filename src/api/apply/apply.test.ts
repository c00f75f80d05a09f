import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BAD_KEY, openTestLedger, type TestLedger } from '../../../test/test-ledger.ts';
import { type ApplyResult, applied } from '../../contract/apply.ts';
import type { LimitsPage } from '../../contract/limits.ts';
import type { WrappedKeyShape } from '../../contract/keys.ts';
import type { UserPriceShape } from '../../contract/prices.ts';
import type { ProviderShape } from '../../contract/providers.ts';

let it: TestLedger;

beforeEach(async () => {
  it = await openTestLedger();
});
afterEach(() => it.close());

const ENVIRONMENT = { PROVIDER_KEY: 'sk-good-provider-key-11111111', HOOK_SECRET: 'whsec_hidden' };
const DECLARED = {
  keys: {
    // Declared before the key that it shares.
    batch: { provider: 'anthropic', sameAs: 'search' },
    search: {
      provider: 'anthropic',
      tags: { team: 'search' },
      expiresAt: '2027-01-31',
      providerKeyEnv: 'PROVIDER_KEY',
    },
  },
  policies: { search: { allowedModels: ['claude-*'], maxOutputTokens: 4_096 } },
  limits: [
    { unit: 'usd', amount: 50, window: 'month' },
    { key: 'search', unit: 'usd', amount: 5, window: 'day', label: 'Search' },
    {
      eachTag: 'user',
      unit: 'calls',
      amount: 100,
      window: 'hour',
      action: 'warn',
      uncertainRule: 'release-after 2h',
      countsObserved: true,
    },
    { tag: 'team=search', unit: 'concurrency', amount: 3 },
    { model: 'claude-*', unit: 'tokens', amount: 10, window: 'total' },
    { provider: 'anthropic', unit: 'calls', amount: 10, window: 'minute' },
  ],
  webhooks: [
    {
      name: 'ops',
      url: 'https://example.com/secret',
      type: 'slack',
      events: ['budget_alert'],
      secretEnv: 'HOOK_SECRET',
    },
  ],
};

const PAGER = { ...DECLARED.webhooks[0], type: 'pagerduty', url: 'https://events.pagerduty.com/v2/enqueue' };

async function apply(body: object): Promise<ApplyResult> {
  const answer = await it.json<ApplyResult>('/api/manage/apply', { method: 'POST', body });
  expect(applied.parse(answer)).toEqual(answer);
  return answer;
}

async function refusal(body: object): Promise<Record<string, unknown>> {
  const answer = await it.ask('/api/manage/apply', { method: 'POST', body });
  return { ...((await answer.json()) as object), status: answer.status };
}

function shown({ changes }: ApplyResult): string[] {
  return changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`);
}

async function audited(): Promise<number> {
  const { rows } = await it.json<{ rows: unknown[] }>('/api/manage/audit?limit=500');
  return rows.length;
}

describe('a declared state', () => {
  test('is created in a working order, and applying it again changes nothing', async () => {
    const first = await apply({ ...DECLARED, environment: ENVIRONMENT });
    expect(shown(first)).toEqual([
      'create key search',
      'create key batch',
      'create policy search',
      'create limit usd per month, all calls',
      'create limit usd per day, key search',
      'create limit calls per hour, each user (warns)',
      'create limit concurrency, team=search',
      'create limit tokens, model claude-*',
      'create limit calls per minute, provider anthropic',
      'create webhook ops',
    ]);
    expect(first).toMatchObject({ failure: null, warnings: [], dryRun: false });
    expect(first.created.map(({ name, key }) => [name, key.slice(0, 7)])).toEqual([
      ['search', 'svc_sk_'],
      ['batch', 'svc_sk_'],
    ]);
    const rows = await audited();
    // Existing keys need no variable.
    const second = await apply(DECLARED);
    expect(new Set(second.changes.map(({ action }) => action))).toEqual(new Set(['leave']));
    expect(second.created).toEqual([]);
    expect(await audited()).toBe(rows);
  });

  test('applies in the gateway immediately: keys with tags and policies, limits with the ids of their keys', async () => {
    const { created } = await apply({ ...DECLARED, environment: ENVIRONMENT });
    const keys = it.sentToGateway.flatMap((message) => (message.type === 'key-changed' ? [message.key] : []));
    const last = keys.findLast(({ id }) => id === created[0]?.id);
    expect(last).toMatchObject({ name: 'search', tags: { team: 'search' }, policy: { maxOutputTokens: 4_096 } });
    const limits = it.sentToGateway.flatMap((message) =>
      message.type === 'limit-changed' ? [message.limit.scope] : [],
    );
    expect(limits).toContainEqual({ kind: 'key', keyId: created[0]?.id });
    expect(limits).toHaveLength(DECLARED.limits.length);
  });

  test('returns each difference by field, and changes nothing else', async () => {
    await apply({ ...DECLARED, environment: ENVIRONMENT });
    const [month, day, ...others] = DECLARED.limits;
    const changed = {
      ...DECLARED,
      keys: { ...DECLARED.keys, search: { ...DECLARED.keys.search, tags: {}, expiresAt: null } },
      policies: { search: { ...DECLARED.policies.search, maxOutputTokens: 100 } },
      limits: [month, { ...day, amount: 7.5, label: null }, ...others],
      webhooks: [{ ...DECLARED.webhooks[0], url: 'https://example.org/other' }],
    };
    const plan = await apply({ ...changed, dryRun: true });
    expect(plan.changes.filter(({ fields }) => fields.length > 0)).toEqual([
      {
        action: 'change',
        kind: 'key',
        name: 'search',
        fields: [
          { field: 'tags', from: { team: 'search' }, to: {} },
          { field: 'expiresAt', from: '2027-02-01T00:00:00.000Z', to: null },
        ],
      },
      {
        action: 'change',
        kind: 'policy',
        name: 'search',
        fields: [{ field: 'maxOutputTokens', from: 4_096, to: 100 }],
      },
      {
        action: 'change',
        kind: 'limit',
        name: 'usd per day, key search',
        fields: [
          { field: 'amount', from: 5, to: 7.5 },
          { field: 'label', from: 'Search', to: null },
        ],
      },
      // The path may be a secret.
      {
        action: 'change',
        kind: 'webhook',
        name: 'ops',
        fields: [{ field: 'url', from: 'https://example.com/…', to: 'https://example.org/…' }],
      },
    ]);
    expect((await apply(changed)).failure).toBeNull();
    expect((await apply(changed)).changes.filter(({ action }) => action !== 'leave')).toEqual([]);
    const { limits } = await it.json<LimitsPage>('/api/manage/limits');
    expect(limits.find(({ scope }) => scope.kind === 'key')).toMatchObject({ amount: 7.5, label: null });
  });

  test('is only planned in a dry run, which says what it needs', async () => {
    const rows = await audited();
    const plan = await apply({ ...DECLARED, dryRun: true });
    expect(plan.missingVariables).toEqual([
      { variable: 'PROVIDER_KEY', field: 'keys.search.providerKeyEnv' },
      { variable: 'HOOK_SECRET', field: 'webhooks.0.secretEnv' },
    ]);
    expect(plan).toMatchObject({ dryRun: true, created: [] });
    expect(await audited()).toBe(rows);
  });

  test('leaves other records alone unless they are to be pruned', async () => {
    await apply({ ...DECLARED, environment: ENVIRONMENT });
    const byHand = await it.createKey('by hand');
    await it.json(`/api/manage/policies/${byHand.id}`, { method: 'PUT', body: { geo: 'us' } });
    const limit = { scope: { kind: 'key', keyId: byHand.id }, unit: 'usd', amount: 1, window: 'day' };
    await it.json('/api/manage/limits', { method: 'POST', body: limit });
    expect((await apply(DECLARED)).changes.filter(({ action }) => action !== 'leave')).toEqual([]);
    // Pruning does not touch absent sections.
    expect((await apply({ webhooks: DECLARED.webhooks, prune: true })).changes).toHaveLength(1);
    const pruned = await apply({ ...DECLARED, prune: true });
    expect(shown(pruned).filter((line) => !line.startsWith('leave'))).toEqual([
      'remove limit usd per day, key by hand',
      'remove key by hand',
    ]);
    const keys = await it.json<WrappedKeyShape[]>('/api/manage/keys');
    expect(
      keys
        .filter(({ revokedAt }) => revokedAt === null)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['batch', 'search']);
    const cleared = await apply({ policies: {}, limits: [], prune: true });
    expect(shown(cleared)).toHaveLength(1 + DECLARED.limits.length);
    expect(await it.json('/api/manage/policies')).toEqual([]);
    expect(await it.json<LimitsPage>('/api/manage/limits')).toEqual({ limits: [], nextCursor: null });
  });

  test('that fails half-way says where, and returns the keys already created', async () => {
    it.ledger.records.limits.create = () => Promise.reject(new Error('SQLite is on fire'));
    const result = await apply({ ...DECLARED, environment: ENVIRONMENT });
    expect(result.failure).toBe(
      'Stopped at limit usd per month, all calls: Something went wrong. See the log for details.',
    );
    expect(result.created).toHaveLength(2);
    expect(it.logged.join('')).toContain('SQLite is on fire');
  });
});

describe('a declaration with an error changes nothing', () => {
  const key = DECLARED.keys.search;
  const limit = { unit: 'usd', amount: 5, window: 'day' };

  test.each<[object, string]>([
    [{ keys: { search: { ...key, provider: 'nobody' } } }, 'keys.search.provider'],
    [{ keys: { search: { ...key, tags: { 'no spaces': 'x' } } } }, 'keys.search.tags'],
    [{ keys: { search: { ...key, tags: { team: 7 } } } }, 'keys.search.tags.team'],
    [{ keys: { search: { ...key, expiresAt: 'soon' } } }, 'keys.search.expiresAt'],
    [{ keys: { search: { ...key, expiresAt: '2026-01-01' } } }, 'keys.search.expiresAt'],
    [{ keys: { search: { provider: 'anthropic' } } }, 'keys.search.providerKeyEnv'],
    [{ keys: { search: { ...key, sameAs: 'batch' } } }, 'keys.search.providerKeyEnv'],
    [{ keys: { search: { ...key, providerKey: 'sk-inline' } } }, 'keys.search'],
    [{ keys: { search: { ...key, providerKeyEnv: 'sk-ant-inline' } } }, 'keys.search.providerKeyEnv'],
    [{ keys: { search: { ...key, providerKeyEnv: 'NOT_SET' } } }, 'keys.search.providerKeyEnv'],
    [
      { keys: { a: { provider: 'anthropic', sameAs: 'b' }, b: { provider: 'anthropic', sameAs: 'a' } } },
      'keys.a.sameAs',
    ],
    [{ keys: { search: key, b: { provider: 'openai', sameAs: 'search' } } }, 'keys.b.sameAs'],
    [{ keys: { ' search': key } }, 'keys. search'],
    [{ policies: { nobody: {} } }, 'policies.nobody'],
    [{ keys: { search: key }, policies: { search: { allowModel: ['x'] } } }, 'policies.search.allowModel'],
    [{ limits: [limit, { ...limit, window: 'hour', amount: -1 }] }, 'limits.1.amount'],
    [{ limits: [{ ...limit, key: 'nobody' }] }, 'limits.0.key'],
    [{ limits: [{ ...limit, provider: 'nobody' }] }, 'limits.0.scope'],
    [{ limits: [{ ...limit, model: 'a', tag: 'b=c' }] }, 'limits.0'],
    [{ limits: [limit, { ...limit, amount: 6 }] }, 'limits.1'],
    [{ limits: [{ ...limit, window: 'year' }] }, 'limits.0.window'],
    [{ limits: [{ ...limit, uncertainRule: 'never' }] }, 'limits.0.uncertainRule'],
    [{ limits: [{ ...limit, countsObserved: true }] }, 'limits.0.countsObserved'],
    [{ webhooks: [{ ...DECLARED.webhooks[0], url: 'http://localhost' }] }, 'webhooks.0.url'],
    [{ webhooks: [{ ...DECLARED.webhooks[0], url: 'https://hooks.private.example' }] }, 'webhooks.0.url'],
    [{ webhooks: [DECLARED.webhooks[0], DECLARED.webhooks[0]] }, 'webhooks.1.name'],
    [{ webhooks: [{ ...DECLARED.webhooks[0], events: ['party'] }] }, 'webhooks.0.events'],
    [{ webhooks: [{ ...DECLARED.webhooks[0], url: 'https://hooks.slack.com/workflows/x' }] }, 'webhooks.0.url'],
    [{ webhooks: [{ ...PAGER, secretEnv: undefined }] }, 'webhooks.0.secret'],
    [{ webhooks: [PAGER] }, 'webhooks.0.secretEnv'],
  ])('%j', async (part, param) => {
    const rows = await audited();
    const good = { limits: [{ ...limit, window: 'month' }] };
    const answer = await refusal({ ...good, environment: ENVIRONMENT, ...part });
    expect(answer).toMatchObject({ status: 400, type: 'invalid', param });
    expect(answer['error']).toMatch(/^\S.{10,}\.$/s);
    expect(await audited()).toBe(rows);
  });

  test('if the provider refuses a provider key', async () => {
    const rows = await audited();
    const answer = await refusal({ ...DECLARED, environment: { ...ENVIRONMENT, PROVIDER_KEY: BAD_KEY } });
    expect(answer).toMatchObject({ status: 422, param: 'keys.search.providerKeyEnv' });
    expect(JSON.stringify(answer)).not.toContain(BAD_KEY);
    expect(await audited()).toBe(rows);
    const forced = await apply({ ...DECLARED, environment: { ...ENVIRONMENT, PROVIDER_KEY: BAD_KEY }, force: true });
    expect(forced).toMatchObject({ failure: null, warnings: [expect.stringContaining('refused this key')] });
  });

  test('if an existing key has another provider', async () => {
    await apply({ ...DECLARED, environment: ENVIRONMENT });
    const keys = { search: { ...key, provider: 'openai' } };
    expect(await refusal({ keys })).toMatchObject({ status: 422, param: 'keys.search.provider' });
  });

  test('if a limit is on a key that the same declaration revokes', async () => {
    await it.createKey('by hand');
    const declared = { keys: {}, limits: [{ ...limit, key: 'by hand' }], prune: true };
    expect(await refusal(declared)).toMatchObject({ param: 'limits.0.key' });
  });
});

describe('own providers and custom prices', () => {
  // Nothing listens there, so the key can't be tested.
  const LAB = { url: 'http://127.0.0.1:1/v1/', deployments: { chat: 'lab-1' } };
  const OWN = {
    providers: { lab: LAB, azure: { url: 'https://one.openai.azure.com', name: 'Azure' } },
    prices: [{ provider: 'lab', model: 'lab-1', usdPerMillion: { input: 0.5, output: '2' } }],
    keys: { search: { provider: 'lab' } },
    limits: [{ provider: 'lab', unit: 'usd', amount: 5, window: 'day' }],
  };
  const actions = (result: ApplyResult) => shown(result).filter((line) => !line.startsWith('leave'));

  test('are created before what needs them, and applying again changes nothing', async () => {
    const first = await apply(OWN);
    expect(shown(first)).toEqual([
      'create provider lab',
      'create provider azure',
      'create price lab lab-1',
      'create key search',
      'create limit usd per day, provider lab',
    ]);
    expect(first.failure).toBeNull();
    expect(first.warnings).toEqual([expect.stringContaining('could not be reached')]);
    const rows = await audited();
    expect(actions(await apply(OWN))).toEqual([]);
    expect(await audited()).toBe(rows);
    const [price] = await it.json<UserPriceShape[]>('/api/manage/prices');
    expect(price).toMatchObject({ provider: 'lab', model: 'lab-1', usdPerMillion: { input: 0.5, output: 2 } });
  });

  test('change by field, keep their keys, and are removed only when they are to be pruned', async () => {
    await apply(OWN);
    const changed = {
      ...OWN,
      providers: { lab: { ...LAB, name: 'Lab', url: 'http://127.0.0.1:2/v1' } },
      prices: [{ ...OWN.prices[0], usdPerMillion: { input: 1, output: 2 } }],
    };
    const result = await apply(changed);
    expect(result.changes.filter(({ action }) => action === 'change')).toEqual([
      {
        action: 'change',
        kind: 'provider',
        name: 'lab',
        fields: [
          { field: 'name', from: 'lab', to: 'Lab' },
          { field: 'url', from: 'http://127.0.0.1:1/v1', to: 'http://127.0.0.1:2/v1' },
        ],
      },
      {
        action: 'change',
        kind: 'price',
        name: 'lab lab-1',
        fields: [{ field: 'usdPerMillion', from: { input: 0.5, output: 2 }, to: { input: 1, output: 2 } }],
      },
    ]);
    const own = (await it.json<ProviderShape[]>('/api/manage/providers')).filter(({ custom }) => custom);
    expect(own.map(({ id, url }) => [id, url])).toEqual([
      ['lab', 'http://127.0.0.1:2/v1'],
      ['azure', 'https://one.openai.azure.com/openai/v1'],
    ]);
    const keys = await it.json<WrappedKeyShape[]>('/api/manage/keys');
    expect(keys.map(({ name, revokedAt }) => [name, revokedAt])).toEqual([['search', null]]);
    const pruned = await apply({ ...changed, prices: [], prune: true });
    expect(actions(pruned)).toEqual(['remove price lab lab-1', 'remove provider azure']);
    expect(await it.json('/api/manage/prices')).toEqual([]);
  });

  test('are for owners of the installation: a token may apply the same file only if providers stay', async () => {
    const token = await it.createToken(['admin']);
    const send = (body: object) => it.ask('/api/manage/apply', { method: 'POST', body, token });
    const refused = await send(OWN);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({ type: 'missing_scope', param: 'providers' }),
    ]);
    await apply(OWN);
    expect((await send(OWN)).status).toBe(200);
    expect((await send({ providers: {}, prune: true })).status).toBe(403);
  });

  test.each<[object, string]>([
    [{ providers: { openai: LAB } }, 'providers.openai'],
    [{ providers: { 'Not an id': LAB } }, 'providers.Not an id.id'],
    [{ providers: { lab: {} } }, 'providers.lab.url'],
    [{ providers: { lab: { ...LAB, url: 'ftp://x' } } }, 'providers.lab.url'],
    [{ providers: { lab: { ...LAB, key: 'sk-inline' } } }, 'providers.lab'],
    [{ prices: [{ ...OWN.prices[0], provider: 'nobody' }] }, 'prices.0.provider'],
    [{ prices: [{ ...OWN.prices[0], usdPerMillion: {} }] }, 'prices.0.usdPerMillion'],
    [{ prices: [{ ...OWN.prices[0], usdPerMillion: { input: -1 } }] }, 'prices.0.usdPerMillion.input'],
    [{ prices: [{ ...OWN.prices[0], usdPerMillion: { input: true } }] }, 'prices.0.usdPerMillion.input'],
    [{ prices: [OWN.prices[0], OWN.prices[0]] }, 'prices.1'],
  ])('with an error change nothing: %j', async (part, param) => {
    const rows = await audited();
    expect(await refusal({ ...OWN, ...part })).toMatchObject({ param, error: expect.stringMatching(/^\S.{10,}\.$/s) });
    expect(await audited()).toBe(rows);
  });
});

test('a declaration changes only its own workspace', async () => {
  const { id } = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'Other' } });
  await apply({ ...DECLARED, environment: ENVIRONMENT });
  const token = await it.createToken(['admin'], id);
  const body = { keys: {}, policies: {}, limits: [], prune: true };
  expect(await it.json('/api/manage/apply', { method: 'POST', body, token })).toMatchObject({ changes: [] });
});
