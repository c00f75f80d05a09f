import { expect, test } from 'vitest';
import { execute, newAdminKey, openTemporaryRecords } from '../../../test/support/temporary-records.ts';
import { DEFAULT_WORKSPACE } from './context.ts';

const KEY = newAdminKey().key;

test('an admin key is returned without its secret, which only report sync can decrypt', async () => {
  const { records } = await openTemporaryRecords();
  const created = await records.adminKeys.create(newAdminKey(), 'owner');
  expect(created).toMatchObject({ organizationName: 'Example', lastFour: 'cdef', pausedAt: null, failures: 0 });
  expect(created.fingerprint).toMatch(/^[0-9a-f]{8}$/);
  expect(await records.adminKeys.list(DEFAULT_WORKSPACE)).toEqual([created]);
  expect(await records.adminKeys.get(DEFAULT_WORKSPACE, created.id)).toEqual(created);
  expect(await records.adminKeys.secret(created.id)).toBe(KEY);
  const audit = await records.audit.list({ workspaceId: DEFAULT_WORKSPACE, limit: 9, before: null });
  expect(JSON.stringify([created, audit])).not.toContain('hidden');
});

test('an organization is read once per workspace, with any of its keys', async () => {
  const { records } = await openTemporaryRecords();
  await records.adminKeys.create(newAdminKey(), 'owner');
  const again = { name: 'other', key: 'sk-ant-admin01-another-0123456789abcdef' };
  const conflict = { type: 'conflict', message: expect.stringContaining('"main" reads this organization') };
  await expect(records.adminKeys.create(newAdminKey(again), 'owner')).rejects.toMatchObject(conflict);
  await expect(records.adminKeys.create(newAdminKey({ organizationId: null }), 'owner')).rejects.toMatchObject(
    conflict,
  );
  await records.adminKeys.create(newAdminKey({ ...again, organizationId: 'org_2' }), 'owner');
  const { id } = await records.workspaces.create({ name: 'two' }, 'owner');
  const elsewhere = await records.adminKeys.create(newAdminKey({ workspaceId: id }), 'owner');
  expect(await records.adminKeys.isReadElsewhere(elsewhere)).toBe(true);
  // Another provider's organization may have the same name.
  expect(await records.adminKeys.isReadElsewhere({ ...elsewhere, provider: 'openai' })).toBe(false);
});

test.each([
  [null, null],
  [null, 'org_2'],
  ['org_2', null],
])(
  'if a provider does not name the organization of a key (%s, then %s), a second key may be of the same one',
  async (first, second) => {
    const { records } = await openTemporaryRecords();
    const { create } = records.adminKeys;
    await create(newAdminKey({ provider: 'openai', organizationId: first }), 'owner');
    const again = newAdminKey({ provider: 'openai', key: 'sk-admin-another-0123456789abcdef', organizationId: second });
    const conflict = { type: 'conflict', message: expect.stringContaining('"main" may read the same organization') };
    await expect(create(again, 'owner')).rejects.toMatchObject(conflict);
    await create(newAdminKey(), 'owner');
    const { id } = await records.workspaces.create({ name: 'two' }, 'owner');
    await create({ ...again, workspaceId: id }, 'owner');
  },
);

test.each([
  ['', 'Give the provider key'],
  ['sk-ant-admin01-x', 'too short'],
  ['two words that are long enough', 'one word'],
])('%j is not an admin key', async (key, sentence) => {
  const { records } = await openTemporaryRecords();
  await expect(records.adminKeys.create(newAdminKey({ key }), 'owner')).rejects.toThrow(sentence);
});

test('pausing and resuming are audited once each, and a paused key is never due', async () => {
  const { records, time } = await openTemporaryRecords();
  const { id } = await records.adminKeys.create(newAdminKey(), 'owner');
  const due = async (): Promise<string[]> => (await records.adminKeys.due(time.now)).map((key) => key.id);
  expect(await due()).toEqual([id]);
  await records.adminKeys.recordAttempt(id, { nextAt: time.now + 1_000, failures: 2, problem: 'It rains.' });
  expect(await due()).toEqual([]);
  const paused = await records.adminKeys.pause(DEFAULT_WORKSPACE, id, 'It was refused.', 'system');
  expect(paused).toMatchObject({
    pausedAt: expect.any(Number),
    pausedReason: 'It was refused.',
    problem: 'It rains.',
  });
  expect(await records.adminKeys.pause(DEFAULT_WORKSPACE, id, null, 'owner')).toEqual(paused);
  time.now += 2_000;
  expect(await due()).toEqual([]);
  const resumed = await records.adminKeys.resume(DEFAULT_WORKSPACE, id, 'owner');
  expect(resumed).toMatchObject({ pausedAt: null, pausedReason: null, nextAt: 0, failures: 0, problem: null });
  await records.adminKeys.resume(DEFAULT_WORKSPACE, id, 'owner');
  expect(await due()).toEqual([id]);
  const rows = await records.audit.list({ workspaceId: DEFAULT_WORKSPACE, limit: 9, before: null });
  expect(rows.map(({ action, actor }) => [action, actor])).toEqual([
    ['admin_key.resume', 'owner'],
    ['admin_key.pause', 'system'],
    ['admin_key.create', 'owner'],
  ]);
});

test('a removed key remains only for the job that deletes its rows, and its text is erased', async () => {
  const { records, db } = await openTemporaryRecords();
  const { id } = await records.adminKeys.create(newAdminKey(), 'owner');
  expect(await records.adminKeys.removed()).toEqual([]);
  await records.adminKeys.forget(id);
  await records.adminKeys.remove(DEFAULT_WORKSPACE, id, 'owner');
  await expect(records.adminKeys.get(DEFAULT_WORKSPACE, id)).rejects.toMatchObject({ type: 'not_found' });
  await expect(records.adminKeys.secret(id)).rejects.toThrow('was removed');
  expect(await records.adminKeys.due(Number.MAX_SAFE_INTEGER)).toEqual([]);
  expect(await records.adminKeys.removed()).toEqual([id]);
  // The organization can be connected again at once.
  await records.adminKeys.create(newAdminKey(), 'owner');
  await records.adminKeys.forget(id);
  expect(await execute(db, 'SELECT count(*) AS n FROM admin_keys')).toEqual([{ n: 1 }]);
});
