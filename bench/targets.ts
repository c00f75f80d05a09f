import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/support/free-port.ts';
import { benchFile, Child } from './child.ts';
import type { GatewaySettings } from './gateway.ts';
import { benchSecret } from './keys-and-limits.ts';
import { installPortkey } from './portkey.ts';

/** A server under measurement. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** So many wrapped keys take turns; 1 = the one in `headers` alone. */
  readonly keys: number;
  readonly child: Child;
}

const PATH = '/v1/messages';
const HEADERS = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
const PROVIDER_KEY = 'sk-ant-bench';
/** As it ships: the launcher, and compiled code. */
const LAUNCHER = fileURLToPath(new URL('../bin/tollbook.mjs', import.meta.url));
const BUILD = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));

export async function startUpstream(): Promise<Target> {
  const port = await freePort();
  const child = new Child(benchFile('upstream.ts'), { args: [String(port)] });
  await child.listening(port);
  return { name: 'no proxy', port, path: PATH, headers: { ...HEADERS, 'x-api-key': PROVIDER_KEY }, keys: 1, child };
}

export async function startBare(upstream: Target): Promise<Target> {
  const port = await freePort();
  const child = new Child(benchFile('bare-proxy.ts'), { args: [String(port), String(upstream.port)] });
  await child.listening(port);
  return { ...upstream, name: 'bare `node:http` + undici, no accounting', port, child };
}

export async function startPortkey(upstream: Target, folder: string): Promise<Target> {
  const script = await installPortkey(join(folder, 'portkey'));
  const port = await freePort();
  const child = new Child(script, { args: [`--port=${port}`, '--headless'], env: { NODE_ENV: 'production' } });
  await child.listening(port);
  const custom = { 'x-portkey-provider': 'anthropic', 'x-portkey-custom-host': `http://127.0.0.1:${upstream.port}/v1` };
  return {
    ...upstream,
    name: 'Portkey gateway 1.15.2, no accounting',
    port,
    headers: { ...upstream.headers, ...custom },
    child,
  };
}

type GatewayKind = Omit<GatewaySettings, 'port' | 'upstreamUrl' | 'folder'> & { readonly name: string };

/** The gateway alone, as the table shows it. */
export const GATEWAYS = {
  off: { name: "Tollbook's gateway, journal off", journal: 'off', keys: 1, limits: false },
  normal: { name: "Tollbook's gateway, journal on", journal: 'normal', keys: 1, limits: false },
  full: { name: 'the same, `SVC_JOURNAL_SYNC=full`', journal: 'full', keys: 1, limits: false },
  limits: { name: 'journal on, 5 limits on each call', journal: 'normal', keys: 1, limits: true },
  sessions: {
    name: 'the same, and limits on session and agent',
    journal: 'normal',
    keys: 1,
    limits: true,
    sessions: true,
  },
  few: { name: 'the same, 10 keys and limits in turn', journal: 'normal', keys: 10, limits: true },
  many: { name: 'the same, 100,000 keys and limits in turn', journal: 'normal', keys: 100_000, limits: true },
} as const satisfies Record<string, GatewayKind>;

export async function startGateway(
  upstream: Target,
  folder: string,
  { name, ...gateway }: GatewayKind,
): Promise<Target> {
  const port = await freePort();
  const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
  const settings: GatewaySettings = { ...gateway, port, upstreamUrl, folder: join(folder, `journal-${port}`) };
  const child = new Child(benchFile('gateway.ts'), { args: [JSON.stringify(settings)] });
  await child.listening(port);
  const { path, headers } = proxied(benchSecret(0));
  const named = gateway.sessions ? { ...headers, ...SESSION_HEADERS } : headers;
  return { name, port, path, headers: named, keys: gateway.keys, child };
}

const SESSION_HEADERS = { 'x-svc-session': '2f6c80a1', 'x-svc-agent': 'researcher-3' };

/** A data folder with one wrapped key. */
interface Service {
  readonly port: number;
  readonly secret: string;
  readonly env: Readonly<Record<string, string>> & { readonly SVC_DATA_DIR: string };
}

export async function createService(upstream: Target, folder: string): Promise<Service> {
  const port = await freePort();
  const env = {
    SVC_DATA_DIR: join(folder, 'data'),
    SVC_PORT: String(port),
    SVC_ANTHROPIC_URL: `http://127.0.0.1:${upstream.port}`,
    SVC_LOG_LEVEL: 'error',
    SVC_TOKEN_REQUESTS_PER_MINUTE: '1000000',
  };
  execFileSync(process.execPath, [BUILD, '--if-needed'], { stdio: 'ignore' });
  return { port, secret: await createKey(env), env };
}

/** Starts the whole service, which ships every call into its book as it serves. Doesn't wait until it listens. */
export function startService({ port, secret, env }: Service): Target {
  // As under `npm start`: it ends when the benchmark is gone.
  const child = new Child(LAUNCHER, { args: ['serve'], env: { ...env, npm_lifecycle_event: 'start' }, alone: true });
  return { name: 'Tollbook: gateway, journal and ledger', port, ...proxied(secret), keys: 1, child };
}

export async function startTollbook(upstream: Target, folder: string): Promise<Target> {
  const target = startService(await createService(upstream, folder));
  await target.child.listening(target.port);
  return target;
}

function proxied(secret: string): Pick<Target, 'path' | 'headers'> {
  return { path: `/api/proxy/anthropic${PATH}`, headers: { ...HEADERS, 'x-api-key': secret } };
}

/** Another wrapped key of the service, which need not run. */
export function createWrappedKey({ env }: Service, name: string): Promise<string> {
  return createKey(env, name);
}

/** Sets a limit of the service, which need not run. */
export async function setLimit({ env }: Service, args: readonly string[]): Promise<void> {
  await run(env, ['limits', 'set', ...args], '');
}

async function createKey(env: Service['env'], name = 'bench'): Promise<string> {
  const args = ['keys', 'create', '--provider', 'anthropic', '--name', name, '--provider-key-stdin', '--json'];
  return (JSON.parse(await run(env, args, PROVIDER_KEY)) as { key: string }).key;
}

/** An access token that may read reports, or has another scope. */
export async function createToken({ env }: Service, scope?: string): Promise<string> {
  const args = ['tokens', 'create', '--name', 'bench', '--json', ...(scope === undefined ? [] : ['--scope', scope])];
  return (JSON.parse(await run(env, args, '')) as { token: string }).token;
}

/** Runs a command; returns what it prints. */
function run(env: Service['env'], args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const command = execFile(
      process.execPath,
      [LAUNCHER, ...args],
      { env: { ...process.env, ...env } },
      (error, stdout) => {
        if (error) reject(error);
        else resolve(stdout);
      },
    );
    command.stdin?.end(input);
  });
}
