import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env, getuid, kill } from 'node:process';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { freePort } from './free-port.ts';
import { findMemoryFolder } from './memory-folder.ts';

const READY = /database system is ready to accept (?:read-only )?connections/;
const LOG_LINES_MAX = 50;
/** A free port may be taken before the server has it. */
const PORTS_TRIED_MAX = 3;

/**
 * Runs the server and ends it when standard input closes, so that it never outlives this process. The folder goes with it
 * if nobody is left to delete it.
 */
const WATCHED = `
folder="$1"; shift
exec 3<&0
"$@" 3<&- & server=$!
{ cat <&3; kill -QUIT "$server" && touch "$folder/abandoned"; } >/dev/null 2>&1 &
exec 3<&-
wait "$server"
if [ -e "$folder/abandoned" ]; then rm -rf "$folder"; fi`;

/** Commits survive a crash of the server, but no power failure. No code should depend on the time zone. */
const FAST = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  timezone: 'Asia/Kathmandu',
};

export interface PostgresServer {
  /** Address of its database `postgres`, as superuser. */
  readonly url: string;
  /** Ends it as a crash does. What was not committed is lost. */
  crash(): Promise<void>;
  /** Starts it again after a crash, on the same port and with the same data. */
  start(): Promise<void>;
  /** Ends it and deletes its data. */
  stop(): Promise<void>;
}

/** Returns the folder with the programs of the newest PostgreSQL on this machine; null = there is none. */
export function findPostgres(): string | null {
  const version = (folder: string): number => Number(/(\d+)\/bin$/.exec(folder)?.[1] ?? 0);
  const debian = globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => version(b) - version(a));
  const folders = [...debian, ...(env['PATH'] ?? '').split(delimiter)];
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

/** Whether tests on PostgreSQL run here. Where tests decide, a missing server fails them. */
export const POSTGRES_TESTED = Boolean(env['TEST_POSTGRES_URL'] || env['CI']) || findPostgres() !== null;

/**
 * Starts a server of its own on a free port of the loopback address. `settings` replace those of `postgresql.conf`;
 * without them its commits survive a crash, but no power failure.
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  return await startServer(settings, 'initdb', (data) => ['-D', data, '-U', 'postgres', ...INITDB]);
}

/** Starts a standby that copies a server's commits as they come. It takes no changes until it is promoted. */
export function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  return startServer({}, 'pg_basebackup', (data) => ['-D', data, '-d', primary.url, '-R', '-c', 'fast', '--no-sync']);
}

async function startServer(
  settings: Readonly<Record<string, string>>,
  program: string,
  programArgs: (data: string) => string[],
): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === null)
    throw new Error("There is no PostgreSQL. Install it (Debian: postgresql), or set TEST_POSTGRES_URL to a server's.");
  const owner = serverUser();
  // Each new database is a copy of some 800 files, which takes ten times as long on a disk.
  const folder = mkdtempSync(join(findMemoryFolder() ?? tmpdir(), 'tollbook-postgres-'));
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const made = spawnSync(join(programs, program), programArgs(data), { ...owner, cwd: folder });
  if (made.status !== 0) throw new Error(`${program} failed: ${made.error?.message ?? made.stderr.toString()}`);
  const run = (port: number): Promise<ChildProcess> => {
    const options = Object.entries({ ...FAST, ...settings, port: String(port), ...PRIVATE });
    const line = [
      join(programs, 'postgres'),
      '-D',
      data,
      ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    return runUntilReady(['-c', WATCHED, 'sh', folder, ...line], { ...owner, cwd: folder });
  };
  const { port, server } = await onFreePort(run);
  return controls(port, server, { folder, data, run });
}

const INITDB = ['-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
const PRIVATE = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };

/** PostgreSQL refuses to run as root. */
function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (getuid?.() !== 0) return null;
  const id = (flag: string, user: string): number =>
    Number(spawnSync('id', [flag, user]).stdout.toString() || Number.NaN);
  const user = Number.isNaN(id('-u', 'postgres')) ? 'nobody' : 'postgres';
  return { uid: id('-u', user), gid: id('-g', user) };
}

async function onFreePort(
  run: (port: number) => Promise<ChildProcess>,
): Promise<{ port: number; server: ChildProcess }> {
  for (let tried = 1; ; tried += 1) {
    const port = await freePort();
    try {
      return { port, server: await run(port) };
    } catch (error) {
      if (tried >= PORTS_TRIED_MAX) throw error;
    }
  }
}

/** Resolves when the server accepts connections; rejects with its last lines if it ends before. */
async function runUntilReady(args: readonly string[], options: object): Promise<ChildProcess> {
  const server = spawn('sh', args, { ...options, detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${lines.join('\n')}`)));
    createInterface({ input: server.stderr }).on('line', (line) => {
      if (lines.push(line) > LOG_LINES_MAX) lines.shift();
      if (READY.test(line)) resolve();
    });
  });
  // This process may end before it: closing the pipe ends the server too.
  server.unref();
  for (const stream of [server.stdin, server.stderr]) (stream as unknown as { unref(): void }).unref();
  return server;
}

interface ServerPlace {
  readonly folder: string;
  readonly data: string;
  readonly run: (port: number) => Promise<ChildProcess>;
}

function controls(port: number, first: ChildProcess, { folder, data, run }: ServerPlace): PostgresServer {
  let server: ChildProcess | null = first;
  const crash = async (): Promise<void> => {
    if (!server) return;
    server.ref();
    const ended = once(server, 'exit');
    kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT');
    await ended;
    server.stdin?.destroy();
    server = null;
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    crash,
    async start() {
      server ??= await run(port);
    },
    async stop() {
      await crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
