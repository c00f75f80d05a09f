import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { startPostgres } from '../../../test/support/postgres-server.ts';
import type { DatabaseOwner, OwnerOptions } from '../database-owner.ts';
import { ownPostgresDatabase } from './postgres-owner.ts';

const ALONE: OwnerOptions = { waitMsMax: 0, onWait: () => {}, onLost: () => {} };

async function own(url: string, options: Partial<OwnerOptions> = {}): Promise<DatabaseOwner> {
  const owner = await ownPostgresDatabase(url, { ...ALONE, ...options });
  onTestFinished(() => owner.release());
  return owner;
}

async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const OWNERS = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 7410 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

test('a second process on a database is refused with the name of the first, until that one ends', async () => {
  const url = await temporaryDatabase();
  const first = await own(url);
  const refused = own(url);
  await expect(refused).rejects.toMatchObject({ type: 'conflict' });
  await expect(refused).rejects.toThrow(new RegExp(`in use by process ${process.pid} on \\S+ since 20`));
  await first.release();
  await own(url);
});

test('other databases of the same server have other owners', async () => {
  const owners = [await own(await temporaryDatabase()), await own(await temporaryDatabase())];
  for (const owner of owners) expect(await owner.journalNotes('here')).toEqual({ last: null, end: null });
});

test('a process that ends by kill -9 leaves its database free', async () => {
  const url = await temporaryDatabase();
  const text = `import { ownPostgresDatabase } from ${JSON.stringify(new URL('postgres-owner.ts', import.meta.url).href)};
    await ownPostgresDatabase(${JSON.stringify(url)}, { waitMsMax: 0, onWait() {}, onLost() {} });
    process.stdout.write('owned');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await expect(own(url)).resolves.toBeDefined();
});

test('an owner whose connection was cut takes its lock again', async () => {
  const url = await temporaryDatabase();
  await own(url);
  const client = await connect(url);
  const ownerPid = async (): Promise<number | undefined> => (await client.query<{ pid: number }>(OWNERS)).rows[0]?.pid;
  const before = await ownerPid();
  await client.query('SELECT pg_terminate_backend($1)', [before]);
  await expect.poll(ownerPid, { timeout: 10_000 }).toSatisfy((pid) => pid !== undefined && pid !== before);
  await expect(own(url)).rejects.toMatchObject({ type: 'conflict' });
});

test('a server that starts later than its client is waited for, and each attempt is reported', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  await server.crash();
  const reasons: string[] = [];
  const started = Promise.withResolvers<void>();
  const onWait = (reason: string): void => {
    if (reasons.push(reason) === 1) started.resolve(server.start());
  };
  await own(server.url, { waitMsMax: 30_000, onWait });
  await started.promise;
  expect(reasons[0]).toMatch(/^PostgreSQL can't be reached \(.+\)/);
  expect(reasons.join()).not.toContain('postgres:');
});

test('a wrong user is refused immediately', async () => {
  const url = Object.assign(new URL(await temporaryDatabase()), { username: 'absent', password: 'hidden-part' }).href;
  const refused = own(url, { waitMsMax: 60_000, onWait: () => expect.unreachable() });
  await expect(refused).rejects.toThrow('refuses the user');
  await expect(refused).rejects.not.toThrow(/hidden-part/);
});
