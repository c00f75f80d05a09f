import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteRecords, openTemporaryRecords } from '../../../test/support/temporary-records.ts';

const list = { id: '0123456789abcdef', source: 'https://prices.example/list.json', changes: 3, largeChanges: 1 };

test('the audit log says who applied a price list, and how much it changed', async () => {
  const { records } = await openTemporaryRecords();
  await records.priceLists.apply({ ...list, text: '[]\n' }, 'usr_1');
  expect(await records.documents.read('prices.json')).toBe('[]\n');
  const { id, ...after } = list;
  const [row] = await records.audit.list({ workspaceId: null, limit: 1, before: null });
  expect(row).toMatchObject({ actor: 'usr_1', action: 'price_list.apply', subject: id, workspaceId: null, after });
});

test('a price list that can’t be saved leaves no row in the audit log', async () => {
  const { records, dataDir } = await openSqliteRecords();
  mkdirSync(join(dataDir, 'prices.json'));
  await expect(records.priceLists.apply({ ...list, text: '[]\n' }, 'usr_1')).rejects.toThrow('prices.json');
  expect(await records.audit.verify()).toEqual({ ok: true, rows: 0 });
});
