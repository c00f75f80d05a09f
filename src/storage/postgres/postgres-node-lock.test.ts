import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { makeCertificate } from '../../../test/doubles/certificate.ts';
import { startTransactionPooler } from '../../../test/doubles/transaction-pooler.ts';
import { startForwarder } from '../../../test/support/forwarder.ts';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { startPostgres } from '../../../test/support/postgres-server.ts';
import { systemScheduler } from '../../lib/clock.ts';
import type { NodeLock, NodeLockOptions } from '../node-lock.ts';
import { lockPostgresNode, readPostgresNotes } from './postgres-node-lock.ts';

const NO_WAIT: NodeLockOptions = { waitMsMax: 0, onLost: () => {} };

async function own(url: string, journalId = 'j_1', options: Partial<NodeLockOptions> = {}): Promise<NodeLock> {
  const lock = await lockPostgresNode(url, journalId, { ...NO_WAIT, ...options });
  onTestFinished(() => lock.release());
  return lock;
}

async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const OWNERS = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 7410 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

test('a second process with the journal of a node is refused with the name of the first, until that one ends', async () => {
  const url = await temporaryDatabase();
  const first = await own(url);
  const refused = own(url);
  await expect(refused).rejects.toMatchObject({ type: 'conflict' });
  await expect(refused).rejects.toThrow(new RegExp(`in use by process ${process.pid} on \\S+ since 20`));
  await first.release();
  await own(url);
});

test('a node that the server does not know by name is another process', async () => {
  const url = await temporaryDatabase();
  const client = await connect(url);
  await client.query("SELECT pg_advisory_lock(7410, hashtext('j_1'))");
  await expect(own(url)).rejects.toThrow(/in use by another process since 20/);
});

test('several nodes use one database, and a new one knows of no journal', async () => {
  const url = await temporaryDatabase();
  await own(url, 'j_1');
  await own(url, 'j_2');
  await own(await temporaryDatabase(), 'j_1');
  expect(await readPostgresNotes(url, 'here', NO_WAIT)).toEqual({ last: null, end: null });
});

test('a process that ends by kill -9 leaves its node free', async () => {
  const url = await temporaryDatabase();
  const text = `import { lockPostgresNode } from ${JSON.stringify(new URL('postgres-node-lock.ts', import.meta.url).href)};
    await lockPostgresNode(${JSON.stringify(url)}, 'j_1', { waitMsMax: 0, onLost() {} });
    process.stdout.write('owned');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await expect(own(url)).resolves.toBeDefined();
});

test('a node whose connection was cut takes its lock again', async () => {
  const url = await temporaryDatabase();
  await own(url);
  const client = await connect(url);
  const ownerPid = async (): Promise<number | undefined> => (await client.query<{ pid: number }>(OWNERS)).rows[0]?.pid;
  const before = await ownerPid();
  await client.query('SELECT pg_terminate_backend($1)', [before]);
  await expect.poll(ownerPid, { timeout: 10_000 }).toSatisfy((pid) => pid !== undefined && pid !== before);
  await expect(own(url)).rejects.toMatchObject({ type: 'conflict' });
});

test('a node whose connection was lost without a word takes its lock again', async () => {
  const url = await temporaryDatabase();
  const forwarder = await startForwarder(Number(new URL(url).port));
  onTestFinished(() => forwarder.close());
  const checks: (() => void)[] = [];
  const scheduler = { ...systemScheduler, later: (act: () => void) => (checks.push(act), () => undefined) };
  await own(Object.assign(new URL(url), { port: String(forwarder.port) }).href, 'j_1', { scheduler });
  const before = await connect(url);
  const pids = async (client: Client) => (await client.query<{ pid: number }>(OWNERS)).rows;
  const [first] = await pids(before);
  const lost = forwarder.loseNext();
  checks.shift()?.();
  await lost;
  // As the server does once it finds that nobody is there.
  await before.query('SELECT pg_terminate_backend($1)', [first?.pid]);
  await expect.poll(() => pids(before), { timeout: 30_000 }).toHaveLength(1);
  expect(await pids(before)).not.toEqual([first]);
});

test('a machine that is gone leaves its node free once the server has noticed', async () => {
  const url = await temporaryDatabase();
  const forwarder = await startForwarder(Number(new URL(url).port));
  onTestFinished(() => forwarder.close());
  await own(Object.assign(new URL(url), { port: String(forwarder.port) }).href);
  forwarder.cut('loses');
  const client = await connect(url);
  const reasons: string[] = [];
  const onWait = (reason: string): void => {
    reasons.push(reason);
    void client.query(`SELECT pg_terminate_backend(pid) FROM (${OWNERS}) owners`);
  };
  await own(url, 'j_1', { waitMsMax: 60_000, onWait });
  expect(reasons).toEqual([expect.stringMatching(/^This node seems to run as process \d+ on \S+ since 20/)]);
});

test('a second process is refused as soon as the first one is heard of', async () => {
  const url = await temporaryDatabase();
  const checks: (() => void)[] = [];
  const scheduler = { ...systemScheduler, later: (act: () => void) => (checks.push(act), () => undefined) };
  await own(url, 'j_1', { scheduler });
  const onWait = (): void => checks.shift()?.();
  const refused = own(url, 'j_1', { waitMsMax: 600_000, onWait });
  await expect(refused).rejects.toMatchObject({ type: 'conflict' });
});

test('a pooler that lends a session for a transaction is refused with what to do', async () => {
  const pooler = await startTransactionPooler(await temporaryDatabase());
  onTestFinished(() => pooler.close());
  const refused = own(pooler.url);
  await expect(refused).rejects.toMatchObject({ type: 'unavailable' });
  await expect(refused).rejects.toThrow('pool_mode = session');
});

test('a signal ends the wait for a server', async () => {
  const stop = new AbortController();
  const refused = own('postgres://me:hidden-part@127.0.0.1:1/name', 'j_1', {
    waitMsMax: 600_000,
    onWait: () => stop.abort(),
    signal: stop.signal,
  });
  await expect(refused).rejects.toThrow("PostgreSQL can't be reached");
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
  await own(server.url, 'j_1', { waitMsMax: 30_000, onWait });
  await started.promise;
  expect(reasons[0]).toMatch(/^PostgreSQL can't be reached \(.+\)/);
  expect(reasons.join()).not.toContain('postgres:');
});

test('a wrong user is refused immediately', async () => {
  const url = Object.assign(new URL(await temporaryDatabase()), { username: 'absent', password: 'hidden-part' }).href;
  const refused = own(url, 'j_1', { waitMsMax: 60_000, onWait: () => expect.unreachable() });
  await expect(refused).rejects.toThrow('refuses the user');
  await expect(refused).rejects.not.toThrow(/hidden-part/);
});

/** Asks for a password by SCRAM, and continues after the client's first message. */
function askForPassword(socket: Socket): void {
  socket.write('R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0');
  socket.once('data', () => socket.write('R\0\0\0\x0b\0\0\0\x0br=a'));
}

const { key, cert } = makeCertificate(['localhost']);

test.each([
  ['asks for a password', '', askForPassword, 'SVC_DATABASE_URL has none'],
  ['does not encrypt', '?sslmode=require', (socket: Socket) => socket.write('N'), 'PostgreSQL does not encrypt'],
  [
    'has an unknown certificate',
    '?sslmode=verify-full',
    (socket: Socket) =>
      socket.write('S', () => new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => {})),
    'The certificate of PostgreSQL is not trusted',
  ],
])('a server that %s is not waited for', async (_, query, answer, sentence) => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const refused = own(`postgres://me@localhost:${port}/name${query}`, 'j_1', {
    waitMsMax: 60_000,
    onWait: () => expect.unreachable(),
  });
  await expect(refused).rejects.toThrow(sentence);
});
