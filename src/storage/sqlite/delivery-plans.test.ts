import { expect, test } from 'vitest';
import { openSqliteRecords, TEST_NOW } from '../../../test/support/temporary-records.ts';
import { MINUTE_MS } from '../../domain/time/units.ts';
import { DEFAULT_WORKSPACE } from '../records/context.ts';

test('due deliveries are found by an index, among any number of ended ones', async () => {
  const { records, database } = await openSqliteRecords();
  const input = {
    workspaceId: DEFAULT_WORKSPACE,
    name: 'a',
    url: 'https://a.test/',
    secret: null,
    digest: 'off',
  } as const;
  const { id } = await records.webhooks.create({ ...input, type: 'CUSTOM', events: ['COST_SPIKE'] }, 'owner');
  const seen: string[] = [];
  const prepare = database.sqlite.prepare.bind(database.sqlite);
  database.sqlite.prepare = (text) => {
    seen.push(text);
    return prepare(text);
  };
  await records.deliveries.claim('run_1', TEST_NOW, TEST_NOW + MINUTE_MS, 9);
  await records.deliveries.next(id, TEST_NOW);
  const plans = seen
    .filter((text) => text.includes('"deliveries"'))
    .map((text) =>
      prepare(`EXPLAIN QUERY PLAN ${text}`).all(...Array.from({ length: text.split('?').length - 1 }, () => 1)),
    )
    .map((rows) => rows.map(({ detail }) => String(detail)).join('\n'));
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan).toMatch(/SEARCH d .*deliveries_line \(webhook_id=\? AND state=\?/);
    // A join with what waits would go through all of it: 130 ms beside 400,000.
    expect(plan).not.toContain('EXISTS');
  }
});
