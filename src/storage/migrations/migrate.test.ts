import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { NO_TERMS } from '../../domain/usage/usage.ts';
import { openTemporaryRecords, TEST_SECRET, temporaryFolder } from '../../../test/support/temporary-records.ts';
import { openDatabase } from '../sqlite/open-database.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import { DEFAULT_WORKSPACE } from '../records/context.ts';

/**
 * One snapshot per release, oldest first: `<version>.schema.sql` as it was made, `<version>.rows.sql` with a row of
 * each kind. The schema of a version that is not yet released follows the code (`npx vitest run -u` writes it).
 */
const RELEASES = ['0.1.0', '0.2.0', '0.3.0', '0.4.0'] as const;
const fixture = (name: string): string => join(import.meta.dirname, 'fixtures', name);

function schemaOf(sqlite: DatabaseSync): string {
  const rows = sqlite.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid').all();
  return rows.map(({ sql }) => `${String(sql)};\n`).join('');
}

function openSnapshot(version: string): string {
  const folder = temporaryFolder();
  const sqlite = new DatabaseSync(join(folder, 'book.db'));
  const text = ['schema', 'rows'].map((part) => readFileSync(fixture(`${version}.${part}.sql`), 'utf8')).join('');
  sqlite.exec(`BEGIN; ${text} COMMIT`);
  sqlite.close();
  return folder;
}

test('the newest snapshot is the schema that this version makes: a released migration was not edited', async () => {
  const { database } = await openTemporaryRecords();
  await expect(schemaOf(database.sqlite)).toMatchFileSnapshot(fixture(`${RELEASES.at(-1)}.schema.sql`));
});

test('a step is text alone: what the code says today does not change what an old version made', () => {
  const steps = readdirSync(import.meta.dirname).filter((name) => /^\d+-.*\.ts$/.test(name));
  expect(steps).toContain('001-entries.ts');
  for (const step of steps)
    expect([step, readFileSync(join(import.meta.dirname, step), 'utf8')]).toEqual([
      step,
      expect.not.stringMatching(/import|\$\{/),
    ]);
});

test.each(RELEASES)('a data folder of %s opens with all that was in it', async (version) => {
  const { records, database } = await openTemporaryRecords(openSnapshot(version), TEST_SECRET);
  const fresh = await openTemporaryRecords();
  expect(schemaOf(database.sqlite)).toBe(schemaOf(fresh.database.sqlite));
  expect((await records.keys.gateKeys()).map((key) => [key.name, key.providerKey])).toEqual([
    ['one', 'sk-ant-api03-one-0123456789abcdef'],
  ]);
  expect(await records.tokens.list(DEFAULT_WORKSPACE)).toMatchObject([{ name: 'reports', scopes: ['admin'] }]);
  expect(await records.webhooks.list(DEFAULT_WORKSPACE)).toMatchObject([{ url: 'https://hooks.test/x' }]);
  expect(await records.prices.list(DEFAULT_WORKSPACE)).toMatchObject([{ card: { model: 'm' } }]);
  expect(await records.alerts.list(DEFAULT_WORKSPACE, { limit: 9, unreadOnly: true })).toMatchObject([
    { type: 'OVERRUN' },
  ]);
  expect(await records.audit.verify()).toMatchObject({ ok: true });
  expect(await records.workspaces.list()).toMatchObject([{ timeZone: 'UTC' }]);
  const { reports } = openSqliteStore(database.sqlite);
  const { total } = await reports.summary(DEFAULT_WORKSPACE, { start: 0, end: 2_000_000_000_000 });
  expect(total).toMatchObject({ failedCalls: 0, cost: 1_500n });
});

test('limits, their counters, policies and time zones of 0.2.0 are there', async () => {
  const { records, database } = await openTemporaryRecords(openSnapshot('0.2.0'), TEST_SECRET);
  expect(await records.limits.all()).toMatchObject([
    { scope: { kind: 'each_tag', key: 'team' }, label: 'teams', zones: [{ zone: 'UTC', since: 0 }] },
  ]);
  expect((await records.keys.gateKeys())[0]?.policy.maxOutputTokens).toBe(500);
  const { counters, reports } = openSqliteStore(database.sqlite);
  // The first call is the limit's past; the uncertain one is released, the resolved one cost nothing.
  expect(await counters.list(0)).toMatchObject([{ value: 'ai', counted: 1_500, uncertain: 0 }]);
  const booked = await reports.entry(DEFAULT_WORKSPACE, 'call_uncertain');
  expect(booked?.entry.touched).toMatchObject([{ unit: 'usd', value: 'ai' }]);
});

test('what uncertain and unpriced calls of 0.1.0 counted for is added up from their entries', async () => {
  const folder = openSnapshot('0.1.0');
  const sqlite = new DatabaseSync(join(folder, 'book.db'));
  sqlite.exec(`UPDATE entries SET doubt = 7, cost = NULL, counted_usd = 900, counted_input = 50, counted_output = 70,
    uncertain_calls = 1, uncertain_up_to = 900;
    UPDATE model_hour SET uncertain_calls = 1; UPDATE tag_day SET uncertain_calls = 1, unpriced_calls = 1;
    INSERT INTO unpriced SELECT workspace, began_at, id FROM entries`);
  sqlite.close();
  const { database } = await openTemporaryRecords(folder, TEST_SECRET);
  const sums = 'uncertain_input_tokens AS input, uncertain_output_tokens AS output, unpriced_up_to AS usd';
  const read = (table: string) => database.sqlite.prepare(`SELECT ${sums} FROM ${table}`).all();
  expect(read('entries')).toEqual([{ input: 45, output: 65, usd: 900 }]);
  expect(read('model_hour')).toEqual([{ input: 45, output: 65, usd: 0 }]);
  expect(read('tag_day')).toEqual([{ input: 45, output: 65, usd: 900 }]);
  expect(read('key_day')).toEqual([{ input: 0, output: 0, usd: 0 }]);
});

test('sessions of 0.3.0 are there, and one that was to be settled is settled', async () => {
  const { database } = await openTemporaryRecords(openSnapshot('0.3.0'), TEST_SECRET);
  const { sessions } = openSqliteStore(database.sqlite);
  const range = { start: 0, end: 2_000_000_000_000 };
  const [before] = await sessions.sums(DEFAULT_WORKSPACE, range);
  expect(before).toMatchObject({ source: 'claude_code', model: 'm', totals: { inputTokens: 5, outputTokens: 4 } });
  const pricing = { pricedAs: () => 'm', resolve: () => null };
  expect(await sessions.settle(() => pricing, 10)).toBe(1);
  expect((await sessions.sums(DEFAULT_WORKSPACE, range))[0]?.totals).toMatchObject({
    inputTokens: 5,
    unpricedCalls: 1,
  });
});

test('use of sessions of 0.3.0 that has neither a price nor a number of calls is one call no more', async () => {
  const folder = openSnapshot('0.3.0');
  const sqlite = new DatabaseSync(join(folder, 'book.db'));
  sqlite.exec(`DELETE FROM session_unsettled; DELETE FROM session_use;
    UPDATE session_records SET counts = json_remove(counts, '$.calls');
    UPDATE session_records SET unpriced_calls = 1, uncounted_records = 1, calls = 0, cost = 0;
    UPDATE session_hour SET unpriced_calls = 1, uncounted_records = 1, calls = 0, cost = 0;
    UPDATE session_day SET unpriced_calls = 1, uncounted_records = 1, calls = 0, cost = 0`);
  sqlite.close();
  const { database } = await openTemporaryRecords(folder, TEST_SECRET);
  const { sessions } = openSqliteStore(database.sqlite);
  expect(await sessions.settle(() => ({ pricedAs: () => null, resolve: () => null }), 10)).toBe(1);
  const [whole] = await sessions.sums(DEFAULT_WORKSPACE, { start: 0, end: 2_000_000_000_000 });
  expect(whole?.totals).toMatchObject({ calls: 0, uncountedRecords: 1, unpricedCalls: 0, unpricedUses: 1 });
});

test('what calls of a session used before 0.3.0 is added up from their entries', async () => {
  const folder = openSnapshot('0.2.0');
  const sqlite = new DatabaseSync(join(folder, 'book.db'));
  sqlite.exec("UPDATE entries SET session_hash = 'aa' WHERE call_id <> 'call_resolved'");
  sqlite.close();
  const { database } = await openTemporaryRecords(folder, TEST_SECRET);
  expect(database.sqlite.prepare('SELECT * FROM session_use').all()).toMatchObject([
    {
      session: 'aa',
      start: 1_789_999_200_000,
      provider: 'anthropic',
      model: 'm',
      asked: 'm',
      input: 5,
      output: 5,
      calls: 1,
    },
  ]);
});

test('what a webhook of 0.4.0 still has to send is there', async () => {
  const { records } = await openTemporaryRecords(openSnapshot('0.4.0'), TEST_SECRET);
  const [webhook] = await records.webhooks.list(DEFAULT_WORKSPACE);
  const query = { limit: 9, before: null };
  const [delivery] = await records.deliveries.list(DEFAULT_WORKSPACE, webhook?.id ?? '', query);
  expect(delivery).toMatchObject({ state: 'waiting', attempts: 1 });
  expect((await records.deliveries.attempts([delivery?.id ?? ''])).get(delivery?.id ?? '')).toMatchObject([
    { status: 500 },
  ]);
  expect(await records.mutes.list(DEFAULT_WORKSPACE)).toMatchObject([{ type: 'COST_SPIKE', until: null }]);
});

test('admin keys of 0.4.0 are there with what they read', async () => {
  const { records, database } = await openTemporaryRecords(openSnapshot('0.4.0'), TEST_SECRET);
  const [key] = await records.adminKeys.list(DEFAULT_WORKSPACE);
  expect(key).toMatchObject({ name: 'main', organizationName: 'Example', pausedReason: 'a test' });
  const { providerReports } = openSqliteStore(database.sqlite);
  const days = await providerReports.usage(key?.id ?? '', { start: 0, end: 2_000_000_000_000 });
  expect(days[0]?.rows).toMatchObject([{ key: 'apikey_1', model: 'm', amounts: { input: 5, cacheWrite1h: 3 } }]);
  expect((await providerReports.states(key?.id ?? '')).get('messages')).toMatchObject({ revision: 3, cursor: null });
});

test('what keys used before 0.4.0 is added up from their entries, as they are believed', async () => {
  const { database } = await openTemporaryRecords(openSnapshot('0.2.0'), TEST_SECRET);
  const { reports } = openSqliteStore(database.sqlite);
  const range = { start: 0, end: 2_000_000_000_000 };
  const uses = await reports.keyUses(DEFAULT_WORKSPACE, range);
  const { total } = await reports.summary(DEFAULT_WORKSPACE, range);
  expect(uses.reduce((sum, { calls }) => sum + calls, 0)).toBe(total.calls);
  expect(uses.reduce((sum, { cost }) => sum + cost, 0n)).toBe(total.cost);
  expect(uses.reduce((sum, { uncertainUpTo }) => sum + uncertainUpTo, 0n)).toBe(total.uncertainUpTo);
  expect(uses.map(({ terms, amounts }) => [terms.tells, amounts])).toEqual(
    expect.arrayContaining([
      ['used', { input: 5, output: 5 }],
      ['at_most', { input: 9, output: 9 }],
      ['used', {}],
    ]),
  );
});

test('what is believed of calls in doubt before 0.4.0 is added up too, as new ones are', async () => {
  const folder = openSnapshot('0.2.0');
  const sqlite = new DatabaseSync(join(folder, 'book.db'));
  const usage = (model: string | null, tokens: object) => ({ model, tokens, promptTokens: 7 });
  const passes = [usage(null, { input: 7, cacheWrite1h: 3, output: 1 }), usage('inner', { cacheRead: 4, output: 2 })];
  const said = { inferences: passes, uses: { webSearch: 2 }, thinking: 0, terms: NO_TERMS };
  sqlite
    .prepare("UPDATE entries SET usage = ?, ended_at = began_at + 86400000 WHERE call_id = 'call_uncertain'")
    .run(JSON.stringify(said));
  sqlite.close();
  const { database } = await openTemporaryRecords(folder, TEST_SECRET);
  const { reports, entries } = openSqliteStore(database.sqlite);
  const booked = await reports.entry(DEFAULT_WORKSPACE, 'call_uncertain');
  const range = { start: 0, end: 2_000_000_000_000 };
  const noted = async () =>
    [...(await reports.keyUses(DEFAULT_WORKSPACE, range)), ...(await reports.lateUses(DEFAULT_WORKSPACE, range))]
      .filter(({ terms }) => terms.tells === 'noted')
      .map(({ model, callModel, terms, amounts }) => [model, callModel, terms.provenance, amounts]);
  const of = (calls: number) => [
    ['m', null, null, { input: 7 * calls, cacheWrite1h: 3 * calls, output: calls, webSearch: 2 * calls }],
    ['inner', 'm', null, { cacheRead: 4 * calls, output: 2 * calls }],
  ];
  expect(await noted()).toEqual(expect.arrayContaining([...of(1), ...of(1)]));
  if (!booked) throw new Error('The snapshot has an uncertain call.');
  await entries.append({ journalId: 'j', mark: 1, entries: [{ ...booked.entry, callId: 'call_again' }] });
  expect(await noted()).toEqual(expect.arrayContaining([...of(2), ...of(2)]));
  expect(await noted()).toHaveLength(4);
});

test('people of 0.4.0 are there, with their roles and sessions', async () => {
  const { records } = await openTemporaryRecords(openSnapshot('0.4.0'), TEST_SECRET);
  expect(await records.members.list(DEFAULT_WORKSPACE)).toMatchObject([{ role: 'owner', user: { name: 'Ada' } }]);
  expect(await records.users.sessions('user_1')).toMatchObject([{ address: '192.0.2.7' }]);
  expect(await records.invitations.list(DEFAULT_WORKSPACE)).toMatchObject([{ role: 'viewer', createdBy: 'user_1' }]);
});

test('migrating twice changes nothing', async () => {
  const first = await openTemporaryRecords();
  const schema = schemaOf(first.database.sqlite);
  const again = await openTemporaryRecords(first.dataDir);
  expect(schemaOf(again.database.sqlite)).toBe(schema);
});

test('a database of a newer version stops the start with a sentence and stays as it was', async () => {
  const { database, file } = await openTemporaryRecords();
  database.sqlite.exec("INSERT INTO kysely_migration VALUES ('999-future', '2031-01-01T00:00:00.000Z')");
  const schema = schemaOf(database.sqlite);
  await expect(openDatabase(file)).rejects.toThrow('written by a newer Tollbook (its step 999-future is unknown here)');
  expect(schemaOf(database.sqlite)).toBe(schema);
});

test('a migration that fails half-way leaves nothing behind', async () => {
  const file = join(temporaryFolder(), 'book.db');
  const sqlite = new DatabaseSync(file);
  onTestFinished(() => sqlite.close());
  sqlite.exec('CREATE TABLE price_cards (mine)');
  await expect(openDatabase(file)).rejects.toThrow(/could not be brought up to date.*Nothing was changed/);
  expect(schemaOf(sqlite)).not.toContain('workspaces');
});
