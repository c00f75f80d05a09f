import { expect, test } from 'vitest';
import { openTemporaryRecords } from '../../../test/support/temporary-records.ts';
import { DEFAULT_WORKSPACE } from './context.ts';

test('the default workspace exists from the start, once', async () => {
  const { records, dataDir } = await openTemporaryRecords();
  const [workspace, ...others] = await records.workspaces.list();
  expect(workspace).toMatchObject({ id: DEFAULT_WORKSPACE, name: 'default', timeZone: 'UTC', retentionDays: 400 });
  expect(others).toEqual([]);
  const again = await openTemporaryRecords(dataDir);
  expect(await again.records.workspaces.list()).toEqual([workspace]);
});

test('a workspace is created and updated field by field', async () => {
  const { records } = await openTemporaryRecords();
  const made = await records.workspaces.create({ name: 'Labs', timeZone: 'europe/berlin' }, 'owner');
  expect(made).toMatchObject({ name: 'Labs', timeZone: 'Europe/Berlin', retentionDays: 400 });
  expect(await records.workspaces.update(made.id, { retentionDays: 30 }, 'owner')).toEqual({
    ...made,
    retentionDays: 30,
  });
  expect(await records.workspaces.get(made.id)).toEqual({ ...made, retentionDays: 30 });
});

test('names of workspaces are unique', async () => {
  const { records } = await openTemporaryRecords();
  await expect(records.workspaces.create({ name: 'default' }, 'owner')).rejects.toMatchObject({ type: 'conflict' });
  const { id } = await records.workspaces.create({ name: 'b' }, 'owner');
  await expect(records.workspaces.update(id, { name: 'default' }, 'owner')).rejects.toMatchObject({ type: 'conflict' });
  await records.workspaces.update(id, { name: 'b' }, 'owner');
});

test.each([
  [{ timeZone: 'Mars/Olympus' }, 'is not a time zone'],
  [{ timeZone: '' }, 'is not a time zone'],
  [{ timeZone: '+02:00' }, 'is not a time zone'],
  [{ retentionDays: 0 }, 'whole days'],
  [{ retentionDays: 1.5 }, 'whole days'],
  [{ retentionDays: Number.NaN }, 'whole days'],
  [{ name: '' }, 'Give it a name'],
])('%j is refused', async (change, sentence) => {
  const { records } = await openTemporaryRecords();
  await expect(records.workspaces.update(DEFAULT_WORKSPACE, change, 'owner')).rejects.toThrow(sentence);
});

test('an unknown workspace is not found', async () => {
  const { records } = await openTemporaryRecords();
  await expect(records.workspaces.get('ws_absent')).rejects.toMatchObject({ type: 'not_found' });
  await expect(records.workspaces.update('ws_absent', {}, 'owner')).rejects.toMatchObject({ type: 'not_found' });
});
