import { afterEach, beforeEach, expect, test } from 'vitest';
import { addPerson, claimLedger } from '../../../test/people.ts';
import { openTestLedger, type TestLedger } from '../../../test/test-ledger.ts';
import type { ErrorShape } from '../../contract/errors.ts';

let testLedger: TestLedger;
beforeEach(async () => {
  testLedger = await openTestLedger();
});
afterEach(() => testLedger.close());

const LIMIT = { scope: { kind: 'workspace' }, unit: 'usd', amount: 5, window: 'day', action: 'block' };
const HOOK = { name: 'ops', url: 'https://hooks.test/x', type: 'CUSTOM', events: ['UNPRICED_MODEL'] };

/** How to delete or end each kind of record, after another person has changed it. */
const ENDS: readonly (readonly [string, () => Promise<string>, Edit, End])[] = [
  ['a limit', () => made('/api/manage/limits', LIMIT), { method: 'PATCH', body: { amount: 6 } }, { field: 'amount' }],
  ['a raise', raisedPath, { path: '/raise', body: { amount: 20, for: '1h' } }, { path: '/raise', field: 'raise' }],
  ['a webhook', () => made('/api/mcp/webhooks', HOOK), { method: 'PATCH', body: { name: 'a' } }, { field: 'name' }],
  ['the rules of a key', rulesPath, { method: 'PUT', body: { tier: 'flex' } }, { field: 'tier' }],
  ['a member', memberPath, { method: 'PATCH', body: { role: 'viewer' } }, { field: 'role' }],
  ['a subscription', planPath, { path: '/end', body: {} }, { method: 'POST', path: '/end', field: 'endedAt' }],
];

/** Path of the change. Default: the record's own, by POST. */
interface Edit {
  readonly method?: 'PATCH' | 'PUT';
  readonly path?: string;
  readonly body: Fields;
}

/** Default: DELETE of the record's own path. */
interface End {
  readonly method?: 'POST';
  readonly path?: string;
  /** Field that the edit changes. */
  readonly field: string;
}

/** Doubles the amount for a while. */
const RAISE = { amount: 10, for: '2h' };

type Fields = Readonly<Record<string, unknown>>;

/** How to change each kind of record twice, both from the same read. */
const EDITS: readonly (readonly [string, 'PATCH' | 'PUT', () => Promise<string>, Fields, Fields, string])[] = [
  ['a limit', 'PATCH', () => made('/api/manage/limits', LIMIT), { amount: 6 }, { label: 'mine' }, 'amount'],
  ['a webhook', 'PATCH', () => made('/api/mcp/webhooks', HOOK), { name: 'a' }, { name: 'b' }, 'name'],
  ['a key', 'PATCH', keyPath, { tags: { team: 'a' } }, { name: 'b' }, 'tags'],
  ['the rules of a key', 'PUT', rulesPath, { tier: 'flex' }, { geo: 'us' }, 'tier'],
  ['a workspace', 'PATCH', workspacePath, { retentionDays: 7 }, { name: 'b' }, 'retentionDays'],
];

test('a raise that another made meanwhile is not overwritten', async () => {
  const path = await made('/api/manage/limits', LIMIT);
  const { unit, amount, raise } = await read(path);
  const ask = (body: object): Promise<Response> => testLedger.ask(`${path}/raise`, { method: 'POST', body });
  const seen = { unit, amount, raise };
  const answers = await Promise.all([1, 2].map(() => ask({ ...RAISE, seen })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const between = await read(path);
  expect((await ask({ amount: 20, for: '1h', seen })).status).toBe(409);
  expect(await read(path)).toEqual(between);
  expect((await ask({ amount: 20, for: '1h', seen: { ...seen, raise: between['raise'] } })).status).toBe(200);
});

test('a role that another gave meanwhile is not overwritten', async () => {
  await claimLedger(testLedger);
  const { id } = await addPerson(testLedger, 'Mira', 'member');
  const give = (role: string, seen: string): Promise<Response> =>
    testLedger.ask(`/api/manage/members/${id}`, { method: 'PATCH', body: { role, seen: { role: seen } } });
  expect((await give('viewer', 'member')).status).toBe(200);
  const late = await give('admin', 'member');
  expect([late.status, await late.json()]).toMatchObject([409, { type: 'conflict', param: 'role' }]);
  expect(await testLedger.ledger.records.members.role('ws_default', id)).toBe('viewer');
  expect((await give('admin', 'viewer')).status).toBe(200);
});

async function made(path: string, body: object): Promise<string> {
  return `${path}/${(await testLedger.json<{ id: string }>(path, { method: 'POST', body })).id}`;
}

async function keyPath(): Promise<string> {
  return `/api/manage/keys/${(await testLedger.createKey('one')).id}`;
}

async function rulesPath(): Promise<string> {
  return `/api/manage/policies/${(await testLedger.createKey('one')).id}`;
}

function workspacePath(): Promise<string> {
  return Promise.resolve('/api/manage/workspaces/ws_default');
}

async function raisedPath(): Promise<string> {
  const path = await made('/api/manage/limits', LIMIT);
  await testLedger.json(`${path}/raise`, { method: 'POST', body: RAISE });
  return path;
}

async function memberPath(): Promise<string> {
  await claimLedger(testLedger);
  return `/api/manage/members/${(await addPerson(testLedger, 'Mira', 'member')).id}`;
}

function planPath(): Promise<string> {
  return made('/api/manage/subscriptions', { plan: 'pro' });
}

/** Paths of records without an address of their own. */
const LISTED = /^(.*\/(?:workspaces|members|subscriptions))\/(.*)$/;

async function read(path: string): Promise<Fields> {
  const [, list, id] = LISTED.exec(path) ?? [];
  if (list !== undefined)
    return (await testLedger.json<Fields[]>(list)).find((one) => [one['id'], one['userId']].includes(id)) ?? {};
  const found = await testLedger.json<Fields>(path);
  return path.includes('policies') ? (found['policy'] as Fields) : found;
}

test.each(EDITS)(
  '%s that another changed meanwhile is not overwritten',
  async (_, method, make, first, second, field) => {
    const path = await make();
    const before = await read(path);
    const seen = Object.fromEntries(Object.keys({ ...first, ...second }).map((name) => [name, before[name]]));
    expect((await testLedger.ask(path, { method, body: { ...first, seen } })).status).toBe(200);
    const between = await read(path);
    expect(between).toMatchObject(first);
    const late = await testLedger.ask(path, { method, body: { ...second, seen } });
    expect([late.status, await late.json()]).toMatchObject([
      409,
      {
        type: 'conflict',
        param: field,
        error: expect.stringContaining(`(${field})`) as string,
      } satisfies Partial<ErrorShape>,
    ]);
    expect(await read(path)).toEqual(between);
    const again = { ...seen, [field]: between[field] };
    expect((await testLedger.ask(path, { method, body: { ...second, seen: again } })).status).toBe(200);
    expect(await read(path)).toMatchObject(second);
  },
);

test.each(ENDS)('%s that another changed meanwhile is not deleted or ended', async (_, make, edit, end) => {
  const path = await make();
  const before = await read(path);
  const { method = 'POST', body } = edit;
  expect((await testLedger.ask(path + (edit.path ?? ''), { method, body })).status).toBe(200);
  const between = await read(path);
  expect(between[end.field]).not.toEqual(before[end.field]);
  const endSeen = (seen: Fields): Promise<Response> =>
    testLedger.ask(path + (end.path ?? ''), {
      method: end.method ?? 'DELETE',
      body: { seen: { [end.field]: seen[end.field] } },
    });
  const late = await endSeen(before);
  expect([late.status, await late.json()]).toMatchObject([409, { type: 'conflict', param: end.field }]);
  expect(await read(path)).toEqual(between);
  expect((await endSeen(between)).status).toBe(200);
});

test.each(EDITS)(
  'of two concurrent changes of %s, one is refused and overwrites nothing',
  async (_, method, make, first) => {
    const path = await make();
    const before = await read(path);
    const seen = Object.fromEntries(Object.keys(first).map((name) => [name, before[name]]));
    const answers = await Promise.all([1, 2].map(() => testLedger.ask(path, { method, body: { ...first, seen } })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  },
);

test('a wrapped key is revoked even if it changed since it was read', async () => {
  const path = await keyPath();
  const { name } = await read(path);
  await testLedger.ask(path, { method: 'PATCH', body: { name: 'another' } });
  expect((await testLedger.ask(path, { method: 'DELETE', body: { seen: { name } } })).status).toBe(200);
  expect(await testLedger.json(path)).toMatchObject({ revokedAt: expect.any(String) });
});

test('who deletes without a body deletes what holds, and a body says nothing but what was seen', async () => {
  const path = await made('/api/manage/limits', LIMIT);
  expect((await testLedger.ask(path, { method: 'DELETE', body: { amount: 5 } })).status).toBe(400);
  expect((await testLedger.ask(path, { method: 'DELETE' })).status).toBe(200);
  const document = await testLedger.json<{ paths: Record<string, Record<string, { requestBody?: Fields }>> }>(
    '/openapi.json',
  );
  const bodies = [['put', 'policies/{keyId}'] as const, ['delete', 'policies/{keyId}'] as const].map(
    ([method, name]) => document.paths[`/api/manage/${name}`]?.[method]?.requestBody?.['required'],
  );
  expect(bodies).toEqual([true, false]);
});

test('an unknown field in seen is refused, and without seen the last change wins', async () => {
  const path = await made('/api/manage/limits', LIMIT);
  expect((await testLedger.ask(path, { method: 'PATCH', body: { amount: 7, seen: { colour: 'red' } } })).status).toBe(
    400,
  );
  expect((await testLedger.ask(path, { method: 'PATCH', body: { amount: 7 } })).status).toBe(200);
});
