import { expect, onTestFinished, test } from 'vitest';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { newKey, temporaryFolder, TEST_NOW } from '../../../test/support/temporary-records.ts';
import { openRecords, type Records } from '../records/records.ts';
import { openPostgresDatabase } from './postgres-database.ts';

const SECRET = 'the-first-master-secret-0123456789abcdef';
const NEXT = 'the-second-master-secret-0123456789abcdef';

/** Opens the records as one of several processes does, each with a folder of its own. */
async function openNode(url: string, secret: string | null, nextSecret: string | null): Promise<Records> {
  const { db, close } = await openPostgresDatabase(url, 2);
  onTestFinished(close);
  return openRecords({ db, dataDir: temporaryFolder(), secret, nextSecret, shared: true, clock: () => TEST_NOW });
}

test('a database shared by several processes needs SVC_SECRET', async () => {
  await expect(openNode(await temporaryDatabase(), null, null)).rejects.toMatchObject({
    type: 'invalid',
    param: 'SVC_SECRET',
  });
});

test('several processes that open a new database concurrently have the same secret', async () => {
  const url = await temporaryDatabase();
  const [first, second] = await Promise.all([openNode(url, SECRET, null), openNode(url, SECRET, null)]);
  await first.keys.create(newKey('one'), 'owner');
  expect((await second.keys.listForGateway())[0]?.providerKey).toMatch(/^sk-ant/);
  expect(await first.sessionSecret()).toBe(await second.sessionSecret());
});

test('a rotation is followed by the other processes, which need no restart', async () => {
  const url = await temporaryDatabase();
  const [first, second] = await Promise.all([openNode(url, SECRET, NEXT), openNode(url, SECRET, NEXT)]);
  await first.keys.create(newKey('before'), 'owner');
  const sessions = await second.sessionSecret();
  expect(await first.rotateSecret(null, 'owner')).toEqual({ setByOperator: true });
  expect((await second.keys.listForGateway())[0]?.providerKey).toMatch(/^sk-ant/);
  await second.keys.create(newKey('after'), 'owner');
  expect(await second.sessionSecret()).toBe(await first.sessionSecret());
  expect(await second.sessionSecret()).not.toBe(sessions);
  // What the second sealed after the rotation is sealed with the new secret.
  const third = await openNode(url, NEXT, null);
  const keys = await third.keys.listForGateway();
  expect(keys.map(({ providerKey }) => providerKey)).toEqual(
    keys.map(() => expect.stringMatching(/^sk-ant/) as string),
  );
  await expect(openNode(url, SECRET, null)).rejects.toThrow('does not fit this database');
});

test('a process without the next secret refuses changes, and encrypts nothing with the old one', async () => {
  const url = await temporaryDatabase();
  const [first, forgotten] = await Promise.all([openNode(url, SECRET, NEXT), openNode(url, SECRET, null)]);
  await first.rotateSecret(NEXT, 'owner');
  await expect(forgotten.keys.create(newKey('lost'), 'owner')).rejects.toThrow('SVC_SECRET_NEXT');
  await expect(forgotten.sessionSecret()).rejects.toMatchObject({ type: 'unavailable' });
});

test('a secret is rotated only to the one that each process was given', async () => {
  const url = await temporaryDatabase();
  const first = await openNode(url, SECRET, NEXT);
  await expect(first.rotateSecret('another-one-0123456789-0123456789', 'owner')).rejects.toThrow('SVC_SECRET_NEXT');
  const second = await openNode(url, SECRET, null);
  await expect(second.rotateSecret(null, 'owner')).rejects.toThrow('SVC_SECRET_NEXT');
});

test('a failed rotation is undone, and the process continues with the old secret', async () => {
  const url = await temporaryDatabase();
  const database = await openPostgresDatabase(url, 2);
  onTestFinished(() => database.close());
  const { pool } = database;
  const first = await openNode(url, SECRET, NEXT);
  await first.keys.create(newKey('one'), 'owner');
  await pool.query({ text: 'CREATE TABLE doomed (parent TEXT REFERENCES workspaces DEFERRABLE INITIALLY DEFERRED)' });
  await pool.query({
    text: `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO doomed VALUES ('absent'); RETURN NEW; END $$`,
  });
  await pool.query({ text: 'CREATE TRIGGER failing BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION fail()' });
  await expect(first.rotateSecret(null, 'owner')).rejects.toThrow('violates foreign key constraint');
  await pool.query({ text: 'DROP TRIGGER failing ON audit' });
  await first.keys.create(newKey('later'), 'owner');
  expect(await (await openNode(url, SECRET, null)).keys.listForGateway()).toHaveLength(2);
});
