import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { ApplyResult } from '../contract/apply.ts';
import type { LimitsPage } from '../contract/limits.ts';

/** Each is longer than the maximum of its field. */
const NAME = 'n'.repeat(150);
const VALUE = 'v'.repeat(300);
const PATTERN = `claude-${'p'.repeat(300)}`;
const OTHER = 'w'.repeat(400);
const TAGS = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`t${index}`, VALUE]));
const PATTERNS = [PATTERN, ...Array.from({ length: 120 }, (_, index) => `model-${index}`)];
const THRESHOLDS = Array.from({ length: 15 }, (_, index) => index + 1);
/** In nano-USD and in dollars. */
const AMOUNT = 9_007_199_000_000_000;
const DOLLARS = 9_007_199;
const HUNDRED_YEARS_MS = 100 * 365 * 86_400_000;

let it: TestLedger;
let ids: { key: string; limit: string; webhook: string };
/** Creates records from a time when every maximum was higher. */
beforeAll(async () => {
  it = await openTestLedger();
  const key = await it.createKey('old');
  const limit = { scope: { kind: 'tag', key: 'team', value: 'old' }, unit: 'usd', amount: 1, window: 'day' };
  const hook = { name: 'old', url: 'https://example.com/hook', type: 'CUSTOM', events: ['OVERRUN'] };
  const made = await it.json<{ id: string }>('/api/manage/limits', { method: 'POST', body: limit });
  const webhook = await it.json<{ id: string }>('/api/mcp/webhooks', { method: 'POST', body: hook });
  await it.json(`/api/manage/policies/${key.id}`, { method: 'PUT', body: { allowedModels: ['old'] } });
  ids = { key: key.id, limit: made.id, webhook: webhook.id };
  const file = new DatabaseSync(join(it.folder, 'data', 'ledger.db'));
  const write = (sql: string, ...values: (string | number)[]): void => void file.prepare(sql).run(...values);
  const policy = { allowedModels: PATTERNS, requiredTags: { ...TAGS, team: [VALUE] } };
  write('UPDATE wrapped_keys SET name = ?, tags = ?', NAME, JSON.stringify(TAGS));
  write('UPDATE wrapped_keys SET policy = ?', JSON.stringify({ ...policy, requiredTags: { team: [VALUE] } }));
  write('UPDATE limits SET scope = ?', JSON.stringify({ kind: 'tag', key: 'team', value: VALUE }));
  write('UPDATE limits SET label = ?, thresholds = ?, amount = ?', NAME, JSON.stringify(THRESHOLDS), AMOUNT);
  write('UPDATE limits SET uncertain = ?', JSON.stringify({ releaseAfterMs: HUNDRED_YEARS_MS }));
  write('UPDATE webhooks SET name = ?', NAME);
  write('UPDATE workspaces SET name = ?, retention_days = ?', NAME, 1_000_000);
  file.close();
});
afterAll(() => it.close());

type Body = Readonly<Record<string, unknown>>;

interface Case {
  readonly what: string;
  readonly path: () => string;
  readonly method?: string;
  /** The stored fields. */
  readonly stored: Body;
  /** A change of another field, or one that makes a value smaller. */
  readonly change: Body;
  /** New values beyond the maximum, each refused. */
  readonly refused: readonly Body[];
}

const CASES: readonly Case[] = [
  {
    what: 'a wrapped key',
    path: () => `/api/manage/keys/${ids.key}`,
    stored: { name: NAME, tags: TAGS },
    change: { tags: { ...TAGS, t0: 'short' } },
    refused: [{ name: `${NAME}x` }, { tags: { ...TAGS, t0: OTHER } }, { tags: { ...TAGS, one: 'more' } }],
  },
  {
    what: 'a limit',
    path: () => `/api/manage/limits/${ids.limit}`,
    stored: {
      scope: { kind: 'tag', key: 'team', value: VALUE },
      label: NAME,
      thresholds: THRESHOLDS,
      amount: DOLLARS,
      uncertainRule: 'release-after 36500d',
    },
    change: { action: 'warn' },
    refused: [
      { scope: { kind: 'tag', key: 'team', value: OTHER } },
      { label: `${NAME}x` },
      { thresholds: [...THRESHOLDS, 99] },
      { amount: DOLLARS + 1 },
      { uncertainRule: 'release-after 36501d' },
      // Nano-USD of the stored amount, as dollars.
      { amount: AMOUNT },
    ],
  },
  {
    what: 'a policy',
    path: () => `/api/manage/policies/${ids.key}`,
    method: 'PUT',
    stored: { allowedModels: PATTERNS, requiredTags: { team: [VALUE] } },
    change: { allowedModels: PATTERNS.slice(0, -1), maxOutputTokens: 100 },
    refused: [
      { allowedModels: [`${PATTERN}x`] },
      { allowedModels: [...PATTERNS, 'more'] },
      { requiredTags: { team: [VALUE, OTHER] } },
    ],
  },
  {
    what: 'a webhook',
    path: () => `/api/mcp/webhooks/${ids.webhook}`,
    stored: { name: NAME },
    change: { digest: 'weekly' },
    refused: [{ name: `${NAME}x` }],
  },
  {
    what: 'a workspace',
    path: () => '/api/manage/workspaces/ws_default',
    stored: { name: NAME, retentionDays: 1_000_000 },
    change: { timeZone: 'Europe/Berlin' },
    refused: [{ name: `${NAME}x` }, { retentionDays: 1_000_001 }],
  },
];

test('declaring the current state changes nothing, and one value of it can be changed', async () => {
  const declared = {
    keys: { [NAME]: { provider: 'anthropic', sameAs: 'old', tags: TAGS } },
    policies: { [NAME]: { allowedModels: PATTERNS, requiredTags: { team: [VALUE] } } },
    limits: [
      {
        tag: `team=${VALUE}`,
        unit: 'usd',
        amount: DOLLARS,
        window: 'day',
        label: NAME,
        thresholds: THRESHOLDS,
        uncertainRule: 'release-after 36500d',
      },
    ],
    webhooks: [{ name: NAME, url: 'https://example.com/hook', type: 'custom', events: ['overrun'] }],
  };
  const apply = (body: object): Promise<ApplyResult> =>
    it.json<ApplyResult>('/api/manage/apply', { method: 'POST', body });
  const same = await apply(declared);
  expect(same.changes.filter(({ action }) => action !== 'leave')).toEqual([]);
  expect(same).toMatchObject({ failure: null });
  const [limit] = declared.limits;
  const other = await apply({ ...declared, limits: [{ ...limit, thresholds: [50] }] });
  expect(other).toMatchObject({ failure: null });
  expect(other.changes.flatMap(({ fields }) => fields.map(({ field }) => field))).toEqual(['thresholds']);
  const file = new DatabaseSync(join(it.folder, 'data', 'ledger.db'));
  file.prepare('UPDATE limits SET thresholds = ?').run(JSON.stringify(THRESHOLDS));
  file.close();
  const tooLong = { ...declared, limits: [{ ...limit, label: `${NAME}x` }] };
  expect((await it.ask('/api/manage/apply', { method: 'POST', body: tooLong })).status).toBe(400);
});

test('setting a limit again changes its amount', async () => {
  const scope = { kind: 'tag', key: 'team', value: VALUE };
  const set = (amount: number) =>
    it.json('/api/manage/limits', { method: 'PUT', body: { scope, unit: 'usd', amount, window: 'day' } });
  expect(await set(5)).toMatchObject({ id: ids.limit, amount: 5, label: NAME });
  const file = new DatabaseSync(join(it.folder, 'data', 'ledger.db'));
  file.prepare('UPDATE limits SET amount = ?').run(AMOUNT);
  file.close();
  const { limits } = await it.json<LimitsPage>('/api/manage/limits');
  expect(limits).toMatchObject([{ id: ids.limit, amount: DOLLARS }]);
});

test.each(CASES)(
  '$what that was valid under higher maxima stays editable; new values obey the maximum',
  async ({ path, method = 'PATCH', stored, change, refused }) => {
    for (const bad of refused) {
      const answer = await it.ask(path(), { method, body: { ...stored, ...bad } });
      expect({ bad, status: answer.status }).toEqual({ bad, status: 400 });
    }
    const answer = await it.ask(path(), { method, body: { ...stored, ...change } });
    expect({ status: answer.status, text: answer.ok ? '' : await answer.text() }).toEqual({ status: 200, text: '' });
  },
);
