import { expect, test } from 'vitest';
import { ADMIN_KEY, Organization } from '../../test/doubles/admin-api.ts';
import { silentLog } from '../lib/log.ts';
import { anthropicReports } from '../provider-reports/anthropic.ts';
import type { AskProvider } from '../provider-reports/ask-provider.ts';
import { newAdminKey, openSqliteRecords } from '../../test/support/temporary-records.ts';
import { openSqliteStore } from '../storage/sqlite/sqlite-store.ts';
import { COMPUTE_UNPROXIED_USAGE } from './compute-unproxied-usage.ts';
import { syncReportsJob } from './sync-provider-reports.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';

const WHOLE = { start: 0, end: 2_000_000_000_000 };

async function world() {
  const { records, database, time } = await openSqliteRecords();
  const { providerReports: reports } = openSqliteStore(database.sqlite);
  const organization = new Organization({ provider: 'anthropic' });
  const state = { underWay: 0, most: 0, hold: Promise.resolve() };
  const ask: AskProvider = async ({ request, headers }) => {
    state.underWay += 1;
    state.most = Math.max(state.most, state.underWay);
    await state.hold;
    const query = new URLSearchParams(request.query.map(([name, value]): [string, string] => [name, value]));
    const reply = organization.ask(request.path, query, headers);
    state.underWay -= 1;
    return reply === 'hang up' ? { ok: false, reason: 'ECONNRESET' } : { ok: true, ...reply };
  };
  const asked = new Set<string>();
  const endpointFor = (provider: string) =>
    provider === 'anthropic' ? { source: anthropicReports, url: 'http://double', name: 'Anthropic' } : null;
  const parts = {
    records,
    reports,
    ask,
    clock: () => time.now,
    log: silentLog,
    raise: async () => undefined,
    syncRequested: asked,
    onAttempts: () => undefined,
    endpointFor,
  };
  const run = (runner = 'run_1') => syncReportsJob({ ...parts, runner }).run(new AbortController().signal);
  const { id } = await records.adminKeys.create(newAdminKey({ key: ADMIN_KEY }), 'owner');
  return { records, reports, organization, state, asked, run, time, id, database };
}

test('several processes on one store read a connection once', async () => {
  const { organization, state, run } = await world();
  const { promise, resolve } = Promise.withResolvers<void>();
  state.hold = promise;
  const runs = ['run_1', 'run_2', 'run_3'].map((runner) => run(runner));
  setImmediate(resolve);
  await Promise.all(runs);
  expect(state.most).toBe(1);
  expect(new Set(organization.answered).size).toBe(organization.answered.length);
});

test('a report is not requested before it is due, unless a person asks for it', async () => {
  const { organization, records, asked, run, id, time } = await world();
  await run();
  const { nextAt, failures, problem } = await records.adminKeys.get(DEFAULT_WORKSPACE, id);
  expect({ isLater: nextAt > time.now, failures, problem }).toEqual({ isLater: true, failures: 0, problem: null });
  const before = organization.answered.length;
  await run();
  expect(organization.answered.length).toBe(before);
  asked.add(id);
  await records.adminKeys.recordAttempt(id, { nextAt: 0, failures, problem });
  await run();
  expect(organization.answered.length).toBeGreaterThan(before + 5);
  expect(asked.size).toBe(0);
});

test('paused connections, and those of removed providers, are left alone', async () => {
  const { organization, records, run, id } = await world();
  await records.adminKeys.create(newAdminKey({ provider: 'gone', key: `${ADMIN_KEY}-2` }), 'owner');
  await records.adminKeys.pause(DEFAULT_WORKSPACE, id, null, 'owner');
  await run();
  expect(organization.answered).toEqual([]);
});

test('rows of a removed connection are deleted, and then the connection', async () => {
  const { records, reports, run, id, database } = await world();
  await run();
  expect((await reports.names(id)).length).toBeGreaterThan(0);
  await records.adminKeys.remove(DEFAULT_WORKSPACE, id, 'owner');
  await run();
  expect([await reports.names(id), await reports.usage(id, WHOLE), await reports.states(id)]).toEqual([
    [],
    [],
    new Map(),
  ]);
  expect(database.sqlite.prepare('SELECT count(*) AS n FROM admin_keys').get()).toEqual({ n: 0 });
  expect(database.sqlite.prepare('SELECT name FROM jobs').all()).toEqual([]);
});

test('the data of a removed connection is not deleted while it is computed', async () => {
  const { records, reports, run, id, time } = await world();
  await run();
  await records.adminKeys.remove(DEFAULT_WORKSPACE, id, 'owner');
  const { jobs } = records;
  const { now } = time;
  const name = `${COMPUTE_UNPROXIED_USAGE}:${id}`;
  const claim = await jobs.claim({ name, runner: 'run_2', now, until: now + 1_000, dueBefore: now + 1 });
  if (!claim) throw new Error('not claimed');
  await run();
  expect([(await reports.names(id)).length > 0, await records.adminKeys.removed()]).toEqual([true, [id]]);
  await jobs.done(claim);
  await run();
  expect([await reports.names(id), await records.adminKeys.removed()]).toEqual([[], []]);
});
