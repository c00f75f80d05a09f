import { expect, onTestFinished, test } from 'vitest';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { temporaryFolder, TEST_NOW, TEST_SECRET } from '../../../test/support/temporary-records.ts';
import { type JobClaim, runUnderClaim, runWithoutClaims } from '../current-claims.ts';
import { openRecords, type Records } from '../records/records.ts';
import { newRunnerId } from '../records/runner.ts';
import { openPostgresDatabase, type PostgresDatabase } from './postgres-database.ts';
import { runTransaction } from './postgres-transaction.ts';

const MINUTE = 60_000;

interface Node extends PostgresDatabase {
  readonly records: Records;
  readonly runner: string;
}

async function openNode(url: string): Promise<Node> {
  const database = await openPostgresDatabase(url, 3);
  onTestFinished(() => database.close());
  const clock = (): number => TEST_NOW;
  const options = { dataDir: temporaryFolder(), secret: TEST_SECRET, shared: true, clock };
  const records = await openRecords({ db: database.db, ...options });
  return { ...database, records, runner: newRunnerId('node', clock) };
}

async function claim({ records, runner }: Node, now: number): Promise<JobClaim> {
  const found = await records.jobs.claim({ name: 'work', runner, now, until: now + MINUTE, dueBefore: now + 1 });
  if (!found) throw new Error('The job is not available');
  return found;
}

const writes: readonly [string, (node: Node) => Promise<unknown>][] = [
  ['a change of records', ({ records }) => records.settings.set('a', 'b', 'owner')],
  ['a single statement', ({ db }) => db.insertInto('settings').values({ name: 'a', value: 'b' }).execute()],
  [
    'a transaction of the store',
    ({ pool }) => runTransaction(pool, (queries) => queries.query({ text: "INSERT INTO settings VALUES ('a', 'b')" })),
  ],
];

test.each(writes)('a job that was taken over can not write: %s', async (_kind, write) => {
  const url = await temporaryDatabase();
  const [paused, other] = [await openNode(url), await openNode(url)];
  const old = await claim(paused, TEST_NOW);
  const isWritten = async (): Promise<boolean> => (await paused.records.settings.get('a')) !== null;
  await runUnderClaim(old, () => write(paused));
  expect(await isWritten()).toBe(true);
  await paused.db.deleteFrom('settings').where('name', '=', 'a').execute();
  const current = await claim(other, TEST_NOW + MINUTE);
  await expect(runUnderClaim(old, () => write(paused))).rejects.toMatchObject({ type: 'conflict' });
  expect(await isWritten()).toBe(false);
  await runUnderClaim(current, () => write(other));
  expect(await isWritten()).toBe(true);
});

test('work that a job only starts continues after another process takes the job over', async () => {
  const url = await temporaryDatabase();
  const [paused, other] = [await openNode(url), await openNode(url)];
  const old = await claim(paused, TEST_NOW);
  await claim(other, TEST_NOW + MINUTE);
  await runUnderClaim(old, () => runWithoutClaims(() => paused.records.settings.set('a', 'b', 'owner')));
  expect(await other.records.settings.get('a')).toBe('b');
});

test('no process takes a job over during its transaction', async () => {
  const url = await temporaryDatabase();
  const [first, other] = [await openNode(url), await openNode(url)];
  const mine = await claim(first, TEST_NOW);
  const seen: string[] = [];
  let takeover: Promise<unknown> = Promise.resolve();
  await runUnderClaim(mine, () =>
    runTransaction(first.pool, async (queries) => {
      takeover = runWithoutClaims(() => claim(other, TEST_NOW + MINUTE)).then(() => seen.push('taken over'));
      await waitForLock(first);
      await queries.query({ text: "INSERT INTO settings VALUES ('a', 'b')" });
      seen.push('written');
    }),
  );
  await takeover;
  expect(seen).toEqual(['written', 'taken over']);
});

/** Waits until another connection waits for a lock. */
async function waitForLock({ pool }: PostgresDatabase): Promise<void> {
  const waiting = async (): Promise<number> =>
    (await pool.query({ text: 'SELECT 1 FROM pg_locks WHERE NOT granted' })).rows.length;
  await expect.poll(waiting).toBeGreaterThan(0);
}

test('a job under two claims writes only while it has both', async () => {
  const url = await temporaryDatabase();
  const node = await openNode(url);
  const outer = await claim(node, TEST_NOW);
  const inner = { name: 'inner', runner: node.runner, now: TEST_NOW, until: TEST_NOW + MINUTE, dueBefore: TEST_NOW };
  const other = await node.records.jobs.claim(inner);
  if (!other) throw new Error('The job is not available');
  const write = (): Promise<void> => node.records.settings.set('a', 'b', 'owner');
  await runUnderClaim(outer, () => runUnderClaim(other, write));
  await node.records.jobs.release(other);
  await expect(runUnderClaim(outer, () => runUnderClaim(other, write))).rejects.toThrow('taken over');
  await runUnderClaim(outer, write);
});
