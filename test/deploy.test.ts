import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { LIMITS, readConfig } from '../src/config.ts';
import { checkCommand } from './command-line.ts';

const CHECKER = 'systemd-analyze';
const DEFAULT_PORT = readConfig({}).port;
const dockerfile = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ').split('\n');
const unit = readFileSync('deploy/tollbook.service', 'utf8');

interface Service {
  readonly ports: readonly string[];
  readonly environment: Record<string, string>;
  readonly volumes: readonly string[];
  readonly stop_grace_period: string;
}
const compose = parse(readFileSync('compose.yaml', 'utf8')) as {
  services: { tollbook: Service };
  volumes: Record<string, null>;
};

function instructions(name: string): string[] {
  return dockerfile.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1).trim()] : []));
}

function setting(name: string): string {
  const line = unit.split('\n').find((each) => each.startsWith(`${name}=`));
  expect({ name, found: line !== undefined }).toEqual({ name, found: true });
  return line?.slice(name.length + 1) ?? '';
}

/** Reads `A=1 B=2` through the service's own settings, which refuse what they don't understand. */
function settings(text: string): ReturnType<typeof readConfig> {
  const pairs = text.split(' ').map((pair): [string, string] => [pair.split('=')[0] ?? '', pair.split('=')[1] ?? '']);
  return readConfig(Object.fromEntries(pairs));
}

test('the image serves on the port that it exposes and checks, with its data on the volume', async () => {
  await checkCommand(JSON.parse(instructions('CMD').at(-1) ?? '[]') as string[]);
  const config = settings(instructions('ENV').join(' '));
  expect(config).toMatchObject({ host: '0.0.0.0', port: DEFAULT_PORT, dataDir: instructions('VOLUME')[0] });
  expect(instructions('EXPOSE')).toEqual([String(DEFAULT_PORT)]);
  expect(instructions('HEALTHCHECK')[0]).toContain(`http://127.0.0.1:${DEFAULT_PORT}/readyz`);
});

test('the image copies only existing files of its context, and runs as an unprivileged user', () => {
  const fromContext = instructions('COPY')
    .filter((line) => !line.startsWith('--from'))
    .flatMap((line) => line.split(' ').slice(0, -1));
  const context = readFileSync('.dockerignore', 'utf8').split('\n');
  const passes = (path: string): boolean => context.includes(`!${path.split('/')[0] ?? ''}`);
  const missing = fromContext.filter((path) => !existsSync(path) || !passes(path));
  expect(missing).toEqual([]);
  expect(instructions('USER').at(-1)).toBe('node');
});

test('the image has the Node that the launcher asks for', () => {
  const major = /NODE_MAJOR_MIN = (\d+)/.exec(readFileSync('bin/tollbook.mjs', 'utf8'))?.[1];
  expect(instructions('FROM').map((line) => line.split(' ')[0])).toEqual([`node:${major}-slim`, `node:${major}-slim`]);
});

test('the compose file publishes the port to this machine only and keeps the data', () => {
  const { ports, environment, volumes } = compose.services.tollbook;
  expect(ports).toEqual([`127.0.0.1:${DEFAULT_PORT}:${DEFAULT_PORT}`]);
  expect(readConfig(environment).baseUrl).toBe(`http://localhost:${DEFAULT_PORT}`);
  const [volume, path] = volumes[0]?.split(':') ?? [];
  expect(Object.keys(compose.volumes)).toEqual([volume]);
  expect(instructions('VOLUME')).toEqual([path]);
});

test('compose and systemd wait longer for a stop than open streams may take', () => {
  const seconds = LIMITS.closeGraceMsMax / 1_000;
  expect(Number.parseInt(compose.services.tollbook.stop_grace_period, 10)).toBeGreaterThan(seconds);
  expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(seconds);
});

test('the unit starts the service, which can write its data and open every connection', async () => {
  const [program, ...words] = setting('ExecStart').split(' ');
  expect(program).toBe('/usr/local/bin/tollbook');
  await checkCommand(words);
  expect(settings(setting('Environment')).dataDir).toBe(`/var/lib/${setting('StateDirectory')}`);
  expect(Number(setting('LimitNOFILE'))).toBeGreaterThan(2 * LIMITS.connectionsMax + LIMITS.upstreamConnectionsMax);
});

test('systemd accepts the unit, if systemd is installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-unit-'));
  const file = join(folder, 'tollbook.service');
  // The program is not installed here; everything else is the unit as it is.
  writeFileSync(file, unit.replace('/usr/local/bin/tollbook', process.execPath));
  const { error, status, stderr } = spawnSync(CHECKER, ['verify', '--man=no', file]);
  rmSync(folder, { recursive: true });
  const missing = error !== undefined && 'code' in error && error.code === 'ENOENT';
  expect(missing || status === 0 ? '' : String(stderr)).toBe('');
});
