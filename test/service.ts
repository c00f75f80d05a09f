import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './support/free-port.ts';
import { runWords } from './run-line.ts';
import type { ServiceDatabase } from './support/service-database.ts';

/** The program: a bundle that Vitest makes of the present sources, or else the sources. */
export const MAIN = process.env['TEST_SERVICE_MAIN'] ?? fileURLToPath(new URL('../src/main.ts', import.meta.url));
const START_MS_MAX = 60_000;
const POLL_MS = 20;
/** An access token makes 600 requests a minute: a longer wait must not use them up. */
const POLL_MS_MAX = 200;
const POLL_GROWTH = 1.2;

export interface ServiceOptions {
  /** Where the service reaches each provider. */
  readonly urls: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of the caller's, which stays; default: a new one, gone after `close`. */
  readonly dataDir?: string;
  /** Called with everything that the service prints, also before it is open. */
  readonly onOutput?: (text: string) => void;
}

/** The real service in a separate process. */
export interface Service {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Runs `tollbook …` on the service's folder; the parsed `--json` output. */
  command<T>(args: readonly string[], stdin?: string): Promise<T>;
  /** A wrapped key's secret. */
  createKey(
    provider: string,
    options?: { name?: string; tags?: Record<string, string>; providerKey?: string },
  ): Promise<string>;
  /** An access token's secret. */
  createToken(scopes?: readonly string[]): Promise<string>;
  /** GET of a reporting path, with an admin token made at the first use. */
  report<T>(path: string): Promise<T>;
  /** Rows of a query on its database. */
  rows(sql: string): Promise<Readonly<Record<string, unknown>>[]>;
  /** Everything the service has printed. */
  output(): string;
  /** Ends the process without letting it say goodbye. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** Provider key of the wrapped keys created here; a double receives it. */
export const PROVIDER_KEY = 'provider-key-of-the-test';

export async function startService(options: ServiceOptions): Promise<Service> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'tollbook-test-')));
  const port = await freePort();
  const urls = Object.entries(options.urls).map(([id, url]) => [`SVC_${id.toUpperCase()}_URL`, url] as const);
  const own = { SVC_DATA_DIR: dataDir, SVC_PORT: String(port), SVC_LOG_LEVEL: 'warn', ...Object.fromEntries(urls) };
  const database = await openDatabase(dataDir);
  const env = { ...process.env, ...own, ...database.settings, ...options.env };
  const served = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = collectOutput(served, options.onOutput);
  await waitForPort(port, served, printed);

  const command = <T>(args: readonly string[], stdin = '') => runCommand<T>([...args, '--json'], env, stdin);
  const baseUrl = `http://127.0.0.1:${port}`;
  let names = 0;
  let token: Promise<string> | null = null;
  const service: Service = {
    baseUrl,
    dataDir,
    pid: served.pid ?? 0,
    command,
    async createKey(provider, { name = `test ${(names += 1)}`, tags = {}, providerKey = PROVIDER_KEY } = {}) {
      const tagArgs = Object.entries(tags).flatMap(([key, value]) => ['--tag', `${key}=${value}`]);
      const args = ['keys', 'create', '--provider', provider, '--name', name, ...tagArgs, '--provider-key-stdin'];
      return (await command<{ key: string }>(args, providerKey)).key;
    },
    async createToken(scopes = []) {
      const args = [
        'tokens',
        'create',
        '--name',
        `test ${port} ${(names += 1)}`,
        ...scopes.flatMap((s) => ['--scope', s]),
      ];
      return (await command<{ token: string }>(args)).token;
    },
    async report<T>(path: string) {
      token ??= service.createToken(['admin']);
      const answer = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${await token}` } });
      if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as T;
    },
    rows: (sql) => database.rows(sql),
    output: () => printed.text,
    kill: () => end(served, 'SIGKILL'),
    async close() {
      await end(served, 'SIGTERM');
      if (!options.dataDir) await rm(dataDir, { recursive: true, force: true });
      if (!options.dataDir) await database.drop();
    },
  };
  return service;
}

/** Returns the database of this run's engine for a data folder. */
async function openDatabase(dataDir: string): Promise<ServiceDatabase> {
  // Only where Vitest runs, which offers the server.
  if (process.env['TEST_ENGINE'] === 'postgres')
    return await (await import('./support/service-database.ts')).openServiceDatabase(dataDir);
  const rows = async (sql: string): Promise<Readonly<Record<string, unknown>>[]> => {
    const file = new DatabaseSync(join(dataDir, 'ledger.db'), { readOnly: true });
    try {
      return file.prepare(sql).all();
    } finally {
      file.close();
    }
  };
  // Whatever the shell of the developer has set.
  return { settings: { SVC_DATABASE_URL: '', SVC_SECRET: '' }, rows, drop: async () => undefined };
}

/** Asks until the answer is as wanted: a call reaches the ledger a moment after its end. */
export async function eventually<T>(
  ask: () => Promise<T>,
  wanted: (answer: T) => boolean,
  msMax = START_MS_MAX,
): Promise<T> {
  const deadline = Date.now() + msMax;
  for (let wait = POLL_MS; ; wait = Math.min(wait * POLL_GROWTH, POLL_MS_MAX)) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`Not as wanted in time: ${JSON.stringify(answer)}`);
    await pause(wait);
  }
}

function collectOutput(child: ChildProcess, onOutput: ServiceOptions['onOutput']): { text: string } {
  const printed = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed.text += text;
      onOutput?.(text);
    });
  return printed;
}

/** Runs in this process, which is faster than starting one. `manual.test.ts` runs commands as a shell does. */
async function runCommand<T>(args: readonly string[], env: NodeJS.ProcessEnv, stdin: string): Promise<T> {
  const { code, out, err } = await runWords(args, { env, stdin });
  if (code !== 0) throw new Error(`tollbook ${args.join(' ')} ended with ${code}: ${err || out}`);
  return JSON.parse(out) as T;
}

async function waitForPort(port: number, served: ChildProcess, printed: { text: string }): Promise<void> {
  const deadline = Date.now() + START_MS_MAX;
  while (Date.now() < deadline && served.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const open = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (open) return;
    await pause(POLL_MS);
  }
  served.kill('SIGKILL');
  throw new Error(`The service did not start: ${printed.text}`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}
