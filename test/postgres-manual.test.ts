import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBlock } from './manual.ts';
import { runLine } from './run-line.ts';
import { MAIN } from './service.ts';
import { findPostgres, type PostgresServer, startPostgres } from './support/postgres-server.ts';
import { freePort } from './support/free-port.ts';

// Runs the commands of docs/postgresql.md as they are written, on a server of this test.

const PAGE = 'docs/postgresql.md';
const ADDRESS = 'postgres://localhost';
const FIRST = 'tollbook.secret)" npx tollbook serve';

let server: PostgresServer;
let folder: string;
beforeAll(async () => {
  server = await startPostgres({ fsync: 'on', full_page_writes: 'on' });
  folder = mkdtempSync(join(tmpdir(), 'tollbook-postgres-manual-'));
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const addressOf = (database: string): string => server.url.replace(/postgres$/, database);
const here = (text: string): string => text.replaceAll(ADDRESS, addressOf('').replace(/\/$/, ''));

/** Environment of a shell that reaches the server as PostgreSQL's programs expect it. */
function shell(own: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { port, username } = new URL(server.url);
  const path = [findPostgres(), process.env['PATH']].join(delimiter);
  return {
    PATH: path,
    PGHOST: '127.0.0.1',
    PGPORT: port,
    PGUSER: username,
    SVC_DATA_DIR: join(folder, 'data'),
    ...own,
  };
}

async function run(block: string, own: Record<string, string> = {}): Promise<void> {
  await promisify(execFile)('sh', ['-ec', here(block)], { cwd: folder, env: shell(own) });
}

async function tollbook(line: string, database: string, secret: string): Promise<string> {
  const env = { SVC_DATABASE_URL: addressOf(database), SVC_SECRET: secret, SVC_DATA_DIR: join(folder, 'data') };
  const { code, out, err } = await runLine(line, { env });
  expect({ line, code, err }).toEqual({ line, code: 0, err: '' });
  return out;
}

/** Starts the service with the command of the manual, and ends it when it is open. */
async function serveOnce(): Promise<void> {
  await (
    await serve(FIRST)
  )();
}

/** Starts the service with a command of the manual. Returns what ends it. */
async function serve(named: string): Promise<() => Promise<void>> {
  const port = String(await freePort());
  const command = findBlock(PAGE, 'sh', named)
    .replace('npx tollbook', `exec "${process.execPath}" "${MAIN}"`)
    .replace(/SVC_PORT=\d+/, `SVC_PORT=${port}`);
  const env = shell({ SVC_PORT: port });
  const service = spawn('sh', ['-ec', here(command)], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const piece of service.stdout) if ((printed += String(piece)).includes('Tollbook serves on')) break;
  expect(printed).toContain('Tollbook serves on');
  return async () => {
    const ended = once(service, 'exit');
    service.kill('SIGTERM');
    await ended;
  };
}

test('the commands of the page create a database, serve it, copy it and restore it', async () => {
  await run(findBlock(PAGE, 'sh', 'openssl'));
  await serveOnce();
  const { stdout } = await promisify(execFile)('cat', [join(folder, 'tollbook.secret')]);
  const secret = stdout.trim();
  await tollbook('tokens create --name reader', 'tollbook', secret);
  expect(await tollbook('doctor', 'tollbook', secret)).toContain('What PostgreSQL has committed');
  await run(findBlock(PAGE, 'sh', 'pg_dump'), { SVC_DATABASE_URL: addressOf('tollbook') });
  await run(findBlock(PAGE, 'sh', 'pg_restore'));
  expect(await tollbook('tokens list', 'restored', secret)).toContain('reader');
  const ends = [await serve(FIRST), await serve('SVC_NODE_NAME=second')];
  expect(await tollbook('nodes list', 'tollbook', secret)).toMatch(/^second +running/m);
  for (const end of ends) await end();
}, 120_000);

test('backup and restore name the programs of PostgreSQL', async () => {
  const env = { SVC_DATABASE_URL: server.url, SVC_SECRET: 'a-secret-of-the-test', SVC_DATA_DIR: join(folder, 'other') };
  const dump = findBlock(PAGE, 'sh', 'pg_dump').trim();
  expect((await runLine(`backup ${join(folder, 'copy')}`, { env })).err).toContain(dump);
  expect((await runLine(`restore ${join(folder, 'copy')}`, { env })).err).toContain('pg_restore --no-owner');
});

test('a database without SVC_SECRET stays untouched, and the error has the command that makes a secret', async () => {
  const env = { SVC_DATABASE_URL: server.url, SVC_DATA_DIR: join(folder, 'third') };
  const { code, err } = await runLine('doctor', { env });
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('openssl rand -base64 32') });
});
