import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { LIMITS, readConfig } from '../src/config.ts';
import { readBlocks } from './manual.ts';

const COMPOSE = 'deploy/compose-nodes.yaml';
const BALANCER = 'deploy/haproxy.cfg';
const CHART = 'deploy/helm/tollbook';
const SETTINGS = new Set(readFileSync('docs/settings.md', 'utf8').match(/SVC_[A-Z_]+/g));
const PORT = readConfig({}).port;
/** Seconds that a service takes to stop at most: its open calls, and then its ledger without a database. */
const LEAVE_SECONDS = 6;
const STOP_SECONDS_MAX = LEAVE_SECONDS + (2 * LIMITS.closeGraceMsMax) / 1_000 + 10;

interface ComposeService {
  readonly environment?: Record<string, string>;
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
  readonly networks?: { readonly nodes?: { readonly ipv4_address?: string } };
}
interface ComposeFile {
  readonly services: Record<string, ComposeService>;
  readonly volumes: Record<string, null>;
}

const SECRETS: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: '0123456789abcdef',
  CLICKHOUSE_PASSWORD: 'fedcba9876543210',
  SVC_SECRET: 'a-secret-of-the-test',
};

/** Reads a compose file with the secrets that its variables name. */
function readCompose(path = COMPOSE): ComposeFile {
  const text = readFileSync(path, 'utf8').replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => SECRETS[name] ?? '');
  return parse(text, { merge: true }) as ComposeFile;
}

const { services, volumes } = readCompose();
const nodes = Object.entries(services).filter(([name]) => name.startsWith('node-'));
const balancer = readFileSync(BALANCER, 'utf8');
const statefulSet = readFileSync(`${CHART}/templates/nodes.yaml`, 'utf8');
const values = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as { readonly settings: Record<string, string> };

test('every deployment file names only settings that exist', () => {
  const files = globSync('deploy/**/*.*');
  expect(files).toEqual(expect.arrayContaining([COMPOSE, BALANCER, `${CHART}/values.yaml`]));
  const named = files.flatMap((path) => readFileSync(path, 'utf8').match(/SVC_[A-Z_]{2,}/g) ?? []);
  expect(named.filter((name) => !SETTINGS.has(name) && name !== 'SVC_NAME')).toEqual([]);
});

test('the nodes share a database and a secret, and each has its own name and volume', () => {
  const configs = nodes.map(([, { environment = {} }]) => readConfig(environment));
  expect(new Set(configs.map(({ databaseUrl }) => databaseUrl)).size).toBe(1);
  expect(configs[0]?.databaseUrl).toContain('@database:5432/tollbook');
  expect(configs.map(({ secret }) => secret)).toEqual(nodes.map(() => 'a-secret-of-the-test'));
  expect(configs.map(({ nodeName }) => nodeName)).toEqual(nodes.map(([name]) => name));
  const mounted = nodes.map(([, node]) => node.volumes?.[0]);
  expect(mounted).toEqual(nodes.map(([name]) => `${name}-data:/data`));
  expect(Object.keys(volumes)).toEqual([...nodes.map(([name]) => `${name}-data`), 'database']);
});

test('the second compose file gives every node the same ClickHouse', () => {
  const more = readCompose('deploy/compose-clickhouse.yaml').services;
  const { CLICKHOUSE_USER: user, CLICKHOUSE_DB: database, ...secret } = more['clickhouse']?.environment ?? {};
  expect(Object.keys(more)).toEqual([...nodes.map(([name]) => name), 'clickhouse']);
  for (const [name, { environment = {} }] of nodes)
    expect(readConfig({ ...environment, ...more[name]?.environment }).clickhouseUrl).toBe(
      `http://${user}:${secret['CLICKHOUSE_PASSWORD']}@clickhouse:8123/${database}`,
    );
});

test('the template of systemd is the unit with a port and a data folder of each node', () => {
  const lines = (path: string): string[] =>
    readFileSync(path, 'utf8')
      .replaceAll(/^#.*\n/gm, '')
      .split('\n');
  const unit = lines('deploy/tollbook.service');
  const template = lines('deploy/tollbook@.service');
  expect(template.filter((line) => !unit.includes(line))).toEqual([
    'Description=Tollbook on port %i, gateway and ledger for AI spend',
    'Environment=NODE_ENV=production SVC_DATA_DIR=/var/lib/tollbook-%i SVC_PORT=%i',
    'EnvironmentFile=-/etc/tollbook-%i.env',
    'StateDirectory=tollbook-%i',
  ]);
  expect(unit.filter((line) => !template.includes(line))).toHaveLength(3);
});

test('the load balancer reaches every node, and the nodes trust its address alone', () => {
  const servers = [...balancer.matchAll(/^ +server (\S+ \S+)/gm)].map(([, server]) => server);
  const all = nodes.map(([name]) => `${name} ${name}:${PORT}`);
  expect(servers).toEqual([...all, ...all]);
  const address = services['balancer']?.networks?.nodes?.ipv4_address;
  for (const [, { environment }] of nodes) expect(environment?.['SVC_TRUSTED_PROXIES']).toBe(address);
});

test('a node that closes takes calls for longer than the load balancer takes to notice', () => {
  const [, interval, falls] = /check inter (\d+)s fall (\d+)/.exec(balancer) ?? [];
  const noticed = Number(interval) * Number(falls);
  expect(noticed).toBeGreaterThan(0);
  const configs = nodes.map(([, { environment = {} }]) =>
    readConfig({ ...environment, SVC_LEAVE_SECONDS: String(environment['SVC_LEAVE_SECONDS']) }),
  );
  for (const { leaveSeconds } of configs) expect(leaveSeconds).toBe(LEAVE_SECONDS);
  expect(LEAVE_SECONDS).toBeGreaterThan(noticed);
});

test('a node has time to finish its calls and to wait for its database before it is killed', () => {
  const graces = nodes.map(([, node]) => Number.parseInt(node.stop_grace_period ?? '', 10));
  const pod = Number(/terminationGracePeriodSeconds: (\d+)/.exec(statefulSet)?.[1]);
  const beforeStop = Number(/command: \[sleep, '(\d+)'\]/.exec(statefulSet)?.[1]);
  const unit = Number(/^TimeoutStopSec=(\d+)$/m.exec(readFileSync('deploy/tollbook.service', 'utf8'))?.[1]);
  for (const grace of [...graces, pod - beforeStop, unit]) expect(grace).toBeGreaterThan(STOP_SECONDS_MAX);
});

test('load balancers and probes do not remove every node while the database is away', () => {
  const asked = [...`${balancer}\n${statefulSet}`.matchAll(/(?:httpchk GET|path:) (\/\S+)/g)].map(([, path]) => path);
  expect(asked).toEqual(['/callz/limited', '/callz', '/healthz', '/callz', '/healthz']);
  expect(balancer).toContain('use_backend any-node if { nbsrv(nodes) eq 0 }');
});

test('the load balancer waits as long for a provider as a node does', () => {
  const minutes = [...balancer.matchAll(/timeout (?:client|server) (\d+)m/g)].map(([, count]) => Number(count));
  expect(minutes).toHaveLength(2);
  for (const count of minutes) expect(count * 60_000).toBeGreaterThan(LIMITS.upstreamSilenceMsMax);
});

test('the settings of the chart are read, and its volume holds a full journal', () => {
  expect(readConfig(values.settings).trustedProxies).toEqual([]);
  const gib = Number(/size: (\d+)Gi/.exec(readFileSync(`${CHART}/values.yaml`, 'utf8'))?.[1]);
  expect(gib * 1_024 ** 3).toBeGreaterThan(LIMITS.journalBytesMax + LIMITS.journalKeepBytesMax);
});

test('templates use only values that the chart has', () => {
  const known = new Set(['Chart.AppVersion', 'Release.Name', ...valuePaths('Values', values)]);
  const templates = globSync(`${CHART}/templates/*`).map((path) => readFileSync(path, 'utf8'));
  const used = templates.flatMap((text) =>
    [...text.matchAll(/\.((?:Values|Chart|Release)[\w.]+)/g)].map(([, it]) => it ?? ''),
  );
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((path) => !known.has(path))).toEqual([]);
});

function valuePaths(path: string, value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [path];
  return [path, ...Object.entries(value).flatMap(([name, each]) => valuePaths(`${path}.${name}`, each))];
}

test('the page about growing makes the secrets that the compose file asks for', () => {
  const make = readBlocks(readFileSync('docs/growing.md', 'utf8'), 'sh').find((block) => block.includes('nodes.env)'));
  const printed = /printf .*\)"/s.exec(make ?? '')?.[0] ?? '';
  const { status, stdout } = spawnSync('sh', ['-ec', printed]);
  const names = stdout
    .toString()
    .split('\n')
    .flatMap((line) => /^(\w+)=.{16,}$/.exec(line)?.[1] ?? []);
  expect({ status, names }).toEqual({ status: 0, names: ['SVC_SECRET', 'POSTGRES_PASSWORD'] });
});
