import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADMIN_KEY, OPENAI_ADMIN_KEY, Organization, serveOrganization } from '../../test/doubles/admin-api.ts';
import { eventually } from '../../test/service.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { AdminKeyShape, AskedSyncShape } from '../contract/admin-keys.ts';

let it: TestLedger;
let anthropic: Organization;
let closing: (() => Promise<void>)[];

beforeEach(async () => {
  anthropic = new Organization({ provider: 'anthropic' });
  const servers = [
    await serveOrganization(anthropic),
    await serveOrganization(new Organization({ provider: 'openai' })),
  ];
  closing = servers.map(({ close }) => close);
  it = await openTestLedger({ SVC_ANTHROPIC_URL: servers[0]?.url ?? '', SVC_OPENAI_URL: servers[1]?.url ?? '' });
});
afterEach(async () => {
  await it.close();
  for (const close of closing) await close();
});

const PATH = '/api/manage/admin-keys';
const body = { name: 'main', provider: 'anthropic', adminKey: ADMIN_KEY };
const add = (changes: Partial<typeof body> = {}) =>
  it.json<AdminKeyShape>(PATH, { method: 'POST', body: { ...body, ...changes } });
const refusal = async (path: string, method: string, sent?: unknown) => {
  const answer = await it.ask(path, { method, ...(sent !== undefined && { body: sent }) });
  return { status: answer.status, ...((await answer.json()) as object) };
};

test('an admin key is checked, stored, and never shown again', async () => {
  const added = await add();
  expect(added).toMatchObject({
    organization: { id: 'org_double', name: 'Double' },
    lastFour: '6789',
    state: 'syncing',
    progress: { daysDone: 0, daysTotal: 365 },
    lastSyncAt: null,
  });
  expect(await it.json(PATH)).toEqual([added]);
  expect(await add({ name: 'other', provider: 'openai', adminKey: OPENAI_ADMIN_KEY })).toMatchObject({
    organization: { id: 'example', name: 'example' },
  });
  const audit = await it.json('/api/manage/audit');
  expect(JSON.stringify([added, audit, it.logged])).not.toContain('of-the-double');
});

test('keys of another kind, refused keys and other providers are refused with what is needed', async () => {
  const sent = async (changes: object) => await refusal(PATH, 'POST', { ...body, ...changes });
  expect(await sent({ adminKey: 'sk-ant-api03-0123456789-0123456789' })).toMatchObject({
    status: 422,
    param: 'adminKey',
    error: expect.stringContaining('start with sk-ant-admin'),
  });
  expect(await sent({ adminKey: 'sk-ant-admin01-0123456789-0123456789' })).toMatchObject({
    status: 422,
    error: expect.stringContaining('refused this admin key'),
  });
  expect(await sent({ provider: 'google' })).toMatchObject({ status: 400, param: 'provider' });
  expect(await sent({ adminKey: '' })).toMatchObject({ status: 400 });
  expect(await sent({ adminKey: `${ADMIN_KEY}\nsecond` })).toMatchObject({
    status: 400,
    error: expect.stringContaining('more than one line'),
  });
  anthropic.faults.push('hang up', { status: 500 }, { status: 429 }, 'html');
  for (let fault = 0; fault < 4; fault += 1)
    expect(await sent({})).toMatchObject({ status: 502, error: expect.stringContaining('Try again') });
  expect(await it.json(PATH)).toEqual([]);
});

test('the same organization twice is a conflict, and the error suggests replacing the key', async () => {
  const { id } = await add();
  expect(await refusal(PATH, 'POST', { ...body, name: 'again' })).toMatchObject({
    status: 409,
    error: expect.stringContaining(`admin-keys replace ${id}`),
  });
});

test('an organization that another workspace also reads is reported as counted in both', async () => {
  const list = async (headers = {}) =>
    (await it.json<AdminKeyShape[]>(PATH, { headers })).map(
      ({ sharedWithOtherWorkspaces }) => sharedWithOtherWorkspaces,
    );
  await add();
  expect(await list()).toEqual([false]);
  const other = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
  const headers = { 'x-svc-workspace': other.id };
  const second = await it.json<AdminKeyShape>(PATH, { method: 'POST', body, headers });
  expect([second.sharedWithOtherWorkspaces, await list()]).toEqual([true, [true]]);
  await it.json(`${PATH}/${second.id}`, { method: 'DELETE', headers });
  expect(await list()).toEqual([false]);
});

test('a key is paused, resumed, synced and removed, and its alert ends with it', async () => {
  const { id } = await add();
  const one = `${PATH}/${id}`;
  const patch = (paused: boolean) => it.json<AdminKeyShape>(one, { method: 'PATCH', body: { paused } });
  expect(await patch(true)).toMatchObject({ state: 'paused', nextSyncAt: null, problem: null });
  expect(await refusal(`${one}/sync`, 'POST')).toMatchObject({ status: 422, error: expect.stringContaining('paused') });
  expect(await patch(false)).toMatchObject({ state: 'syncing', pausedAt: null });
  // No report sync runs in this test.
  expect(await it.json<AskedSyncShape>(`${one}/sync`, { method: 'POST' })).toEqual({ id, started: false });
  anthropic.isKeyGood = false;
  await it.ledger.startJobs();
  expect(await it.json<AskedSyncShape>(`${one}/sync`, { method: 'POST' })).toEqual({ id, started: true });
  const list = () => it.json<AdminKeyShape[]>(PATH);
  await eventually(list, ([key]) => key?.state === 'paused');
  expect(await list()).toMatchObject([{ problem: expect.stringContaining('401') }]);
  const alerts = () => it.json<{ type: string; title: string }[]>('/api/mcp/alerts');
  expect(await eventually(alerts, (all) => all.length > 0)).toMatchObject([
    { type: 'KEY_PROBLEM', title: 'Admin key main is refused' },
  ]);
  anthropic.isKeyGood = true;
  await patch(false);
  expect(await it.ledger.records.alerts.open('ws_default', ['KEY_PROBLEM'])).toEqual([]);
  const done = await eventually(list, ([key]) => key?.progress.daysDone === 365);
  expect(done).toMatchObject([{ state: 'idle', problem: null, lastSyncAt: expect.any(String) }]);
  expect(await it.json(one, { method: 'DELETE' })).toEqual({ removed: id });
  expect(await list()).toEqual([]);
  expect(await refusal(one, 'DELETE')).toMatchObject({ status: 404 });
});

test('an admin key is replaced by another one of its organization, resumes if it was refused, and is never shown', async () => {
  const { id } = await add();
  const one = `${PATH}/${id}`;
  const replace = (adminKey: string) => it.ask(`${one}/replace`, { method: 'POST', body: { adminKey } });
  await it.ledger.records.adminKeys.pause('ws_default', id, 'refused', 'system');
  const newKey = 'sk-ant-admin01-of-the-double-9876543210';
  expect((await replace(newKey)).status).toBe(422);
  expect((await it.json<AdminKeyShape[]>(PATH))[0]).toMatchObject({ lastFour: '6789', state: 'paused' });
  anthropic.key = newKey;
  const replaced = await replace(newKey);
  expect(replaced.status).toBe(200);
  expect(await replaced.json()).toMatchObject({ id, lastFour: '3210', state: 'syncing', problem: null });
  expect(await it.ledger.records.adminKeys.secret(id)).toBe(newKey);
  anthropic.id = 'org_other';
  expect(await (await replace(newKey)).json()).toMatchObject({
    error: expect.stringContaining('another organization'),
  });
  const audit = await it.json<{ rows?: unknown[] }>('/api/manage/audit');
  expect(JSON.stringify(audit)).toContain('admin_key.replace');
  expect(JSON.stringify([audit, it.logged])).not.toContain('of-the-double');
  await it.ledger.records.adminKeys.pause('ws_default', id, null, 'owner');
  anthropic.id = 'org_double';
  expect(await (await replace(newKey)).json()).toMatchObject({ state: 'paused' });
});

test('an admin key of another workspace is not found', async () => {
  const { id } = await add();
  const other = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
  const headers = { 'x-svc-workspace': other.id };
  expect(await it.json(PATH, { headers })).toEqual([]);
  for (const [method, path] of [
    ['DELETE', `${PATH}/${id}`],
    ['POST', `${PATH}/${id}/sync`],
    ['POST', `${PATH}/${id}/replace`],
  ] as const)
    expect(
      (await it.ask(path, { method, headers, ...(path.endsWith('replace') && { body: { adminKey: ADMIN_KEY } }) }))
        .status,
    ).toBe(404);
});
