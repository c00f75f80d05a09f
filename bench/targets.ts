import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchFile, Child, freePort, waitForPort } from './child.ts';
import { installPortkey } from './portkey.ts';

/** A server under measurement. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly child: Child;
}

const PATH = '/v1/messages';
const HEADERS = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
const PROVIDER_KEY = 'sk-ant-bench';
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export async function startUpstream(): Promise<Target> {
  const port = await freePort();
  const child = new Child(benchFile('upstream.ts'), { args: [String(port)] });
  await waitForPort(port);
  return { name: 'no proxy', port, path: PATH, headers: { ...HEADERS, 'x-api-key': PROVIDER_KEY }, child };
}

export async function startBare(upstream: Target): Promise<Target> {
  const port = await freePort();
  const child = new Child(benchFile('bare-proxy.ts'), { args: [String(port), String(upstream.port)] });
  await waitForPort(port);
  return { ...upstream, name: 'bare `node:http` + undici, no accounting', port, child };
}

export async function startPortkey(upstream: Target, folder: string): Promise<Target> {
  const script = await installPortkey(join(folder, 'portkey'));
  const port = await freePort();
  const child = new Child(script, { args: [`--port=${port}`, '--headless'], env: { NODE_ENV: 'production' } });
  await waitForPort(port);
  const custom = { 'x-portkey-provider': 'anthropic', 'x-portkey-custom-host': `http://127.0.0.1:${upstream.port}/v1` };
  return {
    ...upstream,
    name: 'Portkey gateway 1.15.2, no accounting',
    port,
    headers: { ...upstream.headers, ...custom },
    child,
  };
}

export type JournalMode = 'off' | 'normal' | 'full';

const JOURNAL_NAMES: Record<JournalMode, string> = {
  off: 'Tollbook, journal off (benchmark only)',
  normal: 'Tollbook',
  full: 'Tollbook, `SVC_JOURNAL_SYNC=full`',
};

/** Starts the service on a data folder of its own, with one wrapped key. */
export async function startTollbook(upstream: Target, folder: string, journal: JournalMode): Promise<Target> {
  const port = await freePort();
  const env = {
    SVC_DATA_DIR: join(folder, `journal-${journal}`),
    SVC_PORT: String(port),
    SVC_ANTHROPIC_URL: `http://127.0.0.1:${upstream.port}`,
    SVC_JOURNAL_SYNC: journal === 'full' ? 'full' : 'normal',
    SVC_LOG_LEVEL: 'error',
  };
  const key = await createKey(env);
  const child =
    journal === 'off'
      ? new Child(benchFile('tollbook-unbooked.ts'), { env })
      : new Child(MAIN, { args: ['serve'], env });
  await waitForPort(port);
  const path = `/api/proxy/anthropic${PATH}`;
  return { name: JOURNAL_NAMES[journal], port, path, headers: { ...HEADERS, 'x-api-key': key }, child };
}

async function createKey(env: Record<string, string>): Promise<string> {
  const args = ['keys', 'create', '--provider', 'anthropic', '--name', 'bench', '--provider-key-stdin', '--json'];
  const out = await new Promise<string>((resolve, reject) => {
    const command = execFile(
      process.execPath,
      [MAIN, ...args],
      { env: { ...process.env, ...env } },
      (error, stdout) => {
        if (error) reject(error);
        else resolve(stdout);
      },
    );
    command.stdin?.end(PROVIDER_KEY);
  });
  return (JSON.parse(out) as { key: string }).key;
}
