import { expect, test } from 'vitest';
import {
  execute,
  newKey,
  openTemporaryRecords,
  rateCard,
  type TemporaryRecords,
} from '../../../test/support/temporary-records.ts';
import { DEFAULT_WORKSPACE } from './context.ts';

async function busyRecords(): Promise<TemporaryRecords & { secrets: string[] }> {
  const temporary = await openTemporaryRecords();
  const { records } = temporary;
  const { key, secret } = await records.keys.create(newKey('one'), 'owner');
  const token = await records.tokens.create(
    { workspaceId: DEFAULT_WORKSPACE, name: 't', scopes: ['admin'], expiresAt: null },
    'owner',
  );
  await records.keys.update(DEFAULT_WORKSPACE, key.id, { name: 'two' }, token.token.id);
  await records.keys.replaceProviderKey(DEFAULT_WORKSPACE, key.id, 'sk-ant-second-0123456789', 'owner');
  await records.prices.set(DEFAULT_WORKSPACE, rateCard('m'), 'owner');
  await records.keys.revoke(DEFAULT_WORKSPACE, key.id, 'owner');
  return {
    ...temporary,
    secrets: [secret, token.secret, 'sk-ant-second-0123456789', 'sk-ant-api03-one-0123456789abcdef'],
  };
}

test('every change leaves one row with its actor, the values before and after, and no secret', async () => {
  const { records, secrets } = await busyRecords();
  const rows = await records.audit.list({ workspaceId: DEFAULT_WORKSPACE, limit: 100, before: null });
  expect(rows.map((row) => row.action).toReversed()).toEqual([
    'key.create',
    'token.create',
    'key.rename',
    'key.replace',
    'price.set',
    'key.revoke',
  ]);
  expect(rows[3]).toMatchObject({ seq: 3, before: { name: 'one' }, after: { name: 'two' } });
  expect(rows[3]?.actor).toMatch(/^tok_/);
  expect(await records.audit.verify()).toEqual({ ok: true, rows: 6 });
  for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret.slice(13));
});

test('a change that changes nothing leaves no row', async () => {
  const { records } = await busyRecords();
  const [key] = await records.keys.list(DEFAULT_WORKSPACE);
  await records.keys.revoke(DEFAULT_WORKSPACE, key?.id ?? '', 'owner');
  expect(await records.audit.verify()).toEqual({ ok: true, rows: 6 });
});

test('the list is read page by page, newest first', async () => {
  const { records } = await busyRecords();
  const page = (before: number | null): Promise<number[]> =>
    records.audit.list({ workspaceId: null, limit: 2, before }).then((rows) => rows.map((row) => row.seq));
  expect(await page(null)).toEqual([6, 5]);
  expect(await page(5)).toEqual([4, 3]);
  expect(await page(1)).toEqual([]);
});

test('a workspace reads its own rows and those of its members in one order, page by page', async () => {
  const { records, db } = await busyRecords();
  await execute(
    db,
    `INSERT INTO users VALUES ('usr_ada', 'Ada', 'ada@example.com', 0, NULL, '', '')`,
    `INSERT INTO members (workspace_id, user_id, role, since) VALUES ('${DEFAULT_WORKSPACE}', 'usr_ada', 'owner', 1)`,
    `UPDATE audit SET workspace_id = NULL, subject = 'usr_ada' WHERE seq IN (2, 5)`,
    `UPDATE audit SET workspace_id = NULL, subject = 'usr_stranger' WHERE seq = 4`,
  );
  const page = (before: number | null): Promise<number[]> =>
    records.audit.list({ workspaceId: DEFAULT_WORKSPACE, limit: 2, before }).then((rows) => rows.map((row) => row.seq));
  expect(await page(null)).toEqual([6, 5]);
  expect(await page(5)).toEqual([3, 2]);
  expect(await page(2)).toEqual([1]);
});

test.each([
  ['a changed actor', "UPDATE audit SET actor = 'tok_other' WHERE seq = 3", 3, 'row 3 was changed'],
  ['a changed time', 'UPDATE audit SET at = at + 1 WHERE seq = 1', 1, 'row 1 was changed'],
  ['a changed workspace', 'UPDATE audit SET workspace_id = NULL WHERE seq = 2', 2, 'row 2 was changed'],
  ['changed contents', `UPDATE audit SET "after" = '{}' WHERE seq = 6`, 6, 'row 6 was changed'],
  ['a row missing in the middle', 'DELETE FROM audit WHERE seq = 4', 5, 'row 4 is missing'],
  ['the first row missing', 'DELETE FROM audit WHERE seq = 1', 2, 'row 1 is missing'],
  ['the last row missing', 'DELETE FROM audit WHERE seq = 6', 6, 'rows at the end are missing'],
  ['all rows missing', 'DELETE FROM audit', 1, 'rows at the end are missing'],
  ['a row that follows none', "UPDATE audit SET prev_hash = 'x' WHERE seq = 3", 3, 'row 3 does not follow'],
])('%s is found', async (_, tampering, seq, reason) => {
  const { records, db } = await busyRecords();
  await execute(db, tampering);
  const verdict = await records.audit.verify();
  expect(verdict).toMatchObject({ ok: false, seq });
  expect(verdict.ok || verdict.reason).toContain(reason);
});

test('a change and its audit row are one transaction', async () => {
  const { records, db } = await busyRecords();
  await execute(db, 'ALTER TABLE audit RENAME TO elsewhere');
  await expect(records.keys.create(newKey('three'), 'owner')).rejects.toThrow(/audit/);
  expect(await records.keys.list(DEFAULT_WORKSPACE)).toHaveLength(1);
});

test('concurrent changes follow each other in the chain', async () => {
  const { records } = await openTemporaryRecords();
  await Promise.all(Array.from({ length: 20 }, (_, i) => records.keys.create(newKey(`key-${i}`), 'owner')));
  expect(await records.audit.verify()).toEqual({ ok: true, rows: 20 });
});

test('a long chain is verified page by page', async () => {
  const { records } = await openTemporaryRecords();
  for (let i = 0; i < 1_001; i += 1) await records.settings.set('x', String(i), 'system');
  expect(await records.audit.verify()).toEqual({ ok: true, rows: 1_001 });
});
