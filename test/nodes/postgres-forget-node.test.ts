import { expect, onTestFinished, test } from 'vitest';
import { counterKey, LEASE_PROTOCOL, type LeaseItem } from '../../src/leases/exchange.ts';
import { parsePostgresAddress } from '../../src/storage/postgres/postgres-address.ts';
import { openPostgresLeases } from '../../src/storage/postgres/postgres-leases.ts';
import { PostgresPool } from '../../src/storage/postgres/postgres-pool.ts';
import { DAY_MS } from '../../src/domain/time/units.ts';
import { runLine } from '../run-line.ts';
import { newLimit, openSqliteRecords, TEST_NOW, TEST_SECRET } from '../support/temporary-records.ts';
import { temporaryDatabase } from '../support/postgres.ts';
import { openTestLedger } from '../test-ledger.ts';

const LOST = { id: 'j_lost', name: 'east', version: '1.0.0' };

/** A ledger that knows a node with four unshipped calls, which was granted 500 of a limit. */
async function openWithNode() {
  const url = await temporaryDatabase();
  const testLedger = await openTestLedger({ SVC_DATABASE_URL: url, SVC_SECRET: TEST_SECRET });
  const pool = new PostgresPool(parsePostgresAddress(url), { connectionsMax: 2 });
  onTestFinished(async () => {
    await testLedger.close();
    await pool.close();
  });
  const { records } = testLedger.ledger;
  const { counter } = await records.limits.create(newLimit({ unit: 'calls', amount: 1_000 }), 'owner');
  await records.nodes.start(LOST, testLedger.time.now);
  await records.nodes.see(LOST.id, { unshippedCalls: 4, lagMs: 0 }, testLedger.time.now);
  const leases = openPostgresLeases(pool);
  const { generation } = await leases.register(LOST.id, 1);
  const place = { counter, windowStart: 0, value: '' };
  const asks = { need: 500, lack: 500, leastLack: 500, wish: 500, since: null };
  const item: LeaseItem = { ...place, key: counterKey(place), keep: 0, spent: 0, ...asks };
  const process = { protocol: LEASE_PROTOCOL, node: LOST.id, epoch: 1, generation, position: 0 };
  const changes = await leases.changes();
  await leases.exchange({ ...process, seq: 1, changes, isComplete: true, isHeartbeat: false, items: [item] });
  const taken = async (): Promise<unknown> => (await leases.standings([counter]))[0]?.taken;
  const forget = (body: object) => testLedger.ask(`/api/manage/nodes/${LOST.id}/forget`, { method: 'POST', body });
  return { ...testLedger, pool, leases, taken, forget };
}

test('a node is forgotten only once it can not admit calls any more', async () => {
  const { time, leases, taken, forget } = await openWithNode();
  const running = await forget({});
  expect([running.status, await running.json()]).toMatchObject([409, { error: 'The node east runs. Stop it first.' }]);
  time.now += 60_000;
  const live = await forget({ uncertain: 'free' });
  expect([live.status, await live.json()]).toMatchObject([
    409,
    { error: 'The node east may still admit calls. Try again in a minute.' },
  ]);
  expect(await taken()).toBe(500);
  await leases.leave(LOST.id, 1);
  expect((await forget({ uncertain: 'free' })).status).toBe(200);
  expect(await taken()).toBe(0);
  expect((await forget({})).status).toBe(404);
});

test('what a forgotten node may have used stays counted, and the audit log says who forgot it', async () => {
  const { time, leases, taken, forget, json, ledger } = await openWithNode();
  time.now += 60_000;
  await leases.leave(LOST.id, 1);
  expect(await (await forget({})).json()).toEqual({ id: LOST.id, name: 'east', unshippedCalls: 4 });
  expect(await taken()).toBe(500);
  expect(await ledger.records.limits.pendingBackfills()).toEqual(new Set());
  expect(await json('/api/manage/audit?limit=1')).toMatchObject({
    rows: [{ action: 'node.forget', subject: LOST.id, after: { uncertain: 'count' } }],
  });
});

test('the doctor names silent nodes with their unshipped calls', async () => {
  const { time, json } = await openWithNode();
  const checks = async (): Promise<unknown> => {
    const report = await json<{ checks: { name: string }[] }>('/api/manage/doctor');
    return report.checks.filter(({ name }) => name === 'nodes');
  };
  expect(await checks()).toMatchObject([{ state: 'ok', message: 'No node is silent.' }]);
  time.now += 60_000;
  const message = expect.stringMatching(
    /^The node east .* with 4 calls or more .* tollbook nodes forget j_lost$/,
  ) as string;
  expect(await checks()).toMatchObject([{ state: 'warning', message }]);
});

test('the command forgets a node by its name, and asks for the id where several have it', async () => {
  const { records, dataDir, database } = await openSqliteRecords();
  for (const id of ['j_1', 'j_2', 'j_3'])
    await records.nodes.start({ id, name: id === 'j_3' ? 'west' : 'east', version: '1.0.0' }, TEST_NOW);
  await records.nodes.see('j_3', { unshippedCalls: 1, lagMs: 0 }, TEST_NOW);
  await database.close();
  const env = { SVC_DATA_DIR: dataDir, SVC_SECRET: TEST_SECRET };
  const run = (line: string) => runLine(line, { env, clock: () => TEST_NOW + DAY_MS });
  const west = await run('nodes forget west');
  expect(west.err).toBe('');
  expect(west).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Node west forgotten\. .* stay counted\.\nAt least 1 call of it is missing/) as string,
  });
  expect(await run('nodes forget east')).toMatchObject({ code: 1, err: expect.stringContaining('j_1, j_2') as string });
  expect(await run('nodes forget j_1 --uncertain free')).toMatchObject({ code: 0 });
  expect(JSON.parse((await run('nodes list --json')).out)).toMatchObject({ nodes: [{ id: 'j_2' }] });
});
