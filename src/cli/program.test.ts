import type { CreatedKey } from '../contract/keys.ts';
import { PassThrough, Readable } from 'node:stream';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BAD_KEY, openTestLedger } from '../../test/test-ledger.ts';
import type { TestLedger } from '../../test/test-ledger.ts';
import { controlSocketPath } from '../lib/fs/socket-path.ts';
import { runProgram } from './program.ts';
import type { CommandTerminal } from './terminal.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let it: TestLedger;

/** A folder that a service has used and left: the commands open it themselves. */
beforeEach(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  await it.ship([it.entry({ tags: { team: 'search' }, startedAt: Date.now() - 60_000 })]);
  await it.ledger.close();
});
afterEach(() => it.close());

interface RunOptions {
  readonly stdin?: string;
  readonly env?: Record<string, string>;
  readonly inIsTerminal?: boolean;
}

async function run(line: string, options: RunOptions = {}): Promise<Ran> {
  const ran = { out: '', err: '' };
  const terminal: CommandTerminal = {
    out: (piece) => void (ran.out += piece),
    err: (piece) => void (ran.err += piece),
    outBytes: async (piece) => void (ran.out += Buffer.from(piece).toString()),
    readIn: async () => options.stdin ?? '',
    streams: { input: Readable.from([]), output: new PassThrough() },
    inIsTerminal: options.inIsTerminal ?? false,
    env: { ...it.env, ...options.env },
  };
  const code = await runProgram(line.split(' ').filter(Boolean), terminal, Date.now);
  return { code, ...ran };
}

async function json<T>(line: string, stdin?: string): Promise<T> {
  const { code, out, err } = await run(`${line} --json`, stdin === undefined ? {} : { stdin });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out.trim().split('\n')).toHaveLength(1);
  return JSON.parse(out) as T;
}

const CREATE_KEY = 'keys create --provider anthropic --name first --provider-key-stdin';
const PROVIDER_KEY = 'sk-ant-good-provider-key-4242';

describe('keys', () => {
  test('create --json prints exactly id, name, provider and key', async () => {
    const created = await json<Record<string, string>>(CREATE_KEY, `${PROVIDER_KEY}\n`);
    expect(Object.keys(created)).toEqual(['id', 'name', 'provider', 'key']);
    expect(created).toMatchObject({ name: 'first', provider: 'anthropic' });
    expect(created['key']).toMatch(/^svc_sk_[A-Za-z0-9]{38,}$/);
  });

  test('create prints the limits of its budgets, and refuses a budget of 0', async () => {
    const { out } = await run(`${CREATE_KEY} --session-budget 5 --agent-budget 0.50`, { stdin: PROVIDER_KEY });
    expect(out).toMatch(/Limit lim_\w+ blocks at \$5\.00 in total for each session of key first\./);
    expect(out).toMatch(/Limit lim_\w+ blocks at \$0\.50 in total for each agent of key first\./);
    const created = await json<CreatedKey>(`${CREATE_KEY.replace('first', 'second')} --run-budget 20`, PROVIDER_KEY);
    expect(created.limits).toMatchObject([{ unit: 'usd', amount: 20, scope: { kind: 'each', of: 'run' } }]);
    const { code, err } = await run(`${CREATE_KEY.replace('first', 'third')} --session-budget 0`, {
      stdin: PROVIDER_KEY,
    });
    expect([code, err]).toEqual([1, expect.stringMatching(/budgets\.session must be above 0/)]);
  });

  test('create prints the key and its base URL, and clients the lines for every client of the provider', async () => {
    const created = (await run(CREATE_KEY, { stdin: PROVIDER_KEY })).out;
    expect(created).toMatch(/\n {2}svc_sk_\w+\n\nBase URL: http:\/\/localhost:4700\/api\/proxy\/anthropic\n/);
    expect(created.trim().split('\n')).toHaveLength(7);
    const [, clients = ''] = /tollbook (keys clients \S+)/.exec(created) ?? [];
    const { out } = await run(clients);
    const key = '<WRAPPED_KEY>';
    for (const line of [
      `curl http://localhost:4700/api/proxy/anthropic/v1/messages`,
      `-H "authorization: Bearer ${key}"`,
      `new Anthropic({\n    apiKey: '${key}',\n    baseURL: 'http://localhost:4700/api/proxy/anthropic',\n  });`,
      `client = Anthropic(\n      api_key="${key}",\n      base_url="http://localhost:4700/api/proxy/anthropic",\n  )`,
      'export ANTHROPIC_BASE_URL=http://localhost:4700/api/proxy/anthropic',
      `export ANTHROPIC_AUTH_TOKEN=${key}`,
    ])
      expect(out).toContain(line);
    expect(created + out).not.toContain(PROVIDER_KEY);
  });

  test('clients of OpenAI have the configuration of Codex, those of others the OpenAI library', async () => {
    await run('keys create --provider openai --name o --provider-key-env KEY', {
      env: { KEY: 'sk-1', SVC_OPENAI_URL: it.env['SVC_ANTHROPIC_URL'] ?? '' },
    });
    expect((await run('keys clients o')).out).toMatch(
      /model_provider = "tollbook"[\s\S]*base_url = "http:\/\/localhost:4700\/api\/proxy\/openai\/v1"[\s\S]*wire_api = "responses"/,
    );
    await run(`providers add mine ${it.env['SVC_ANTHROPIC_URL']}`);
    await run('keys create --provider mine --name m --provider-key-env KEY', { env: { KEY: 'sk-1' } });
    expect((await run('keys clients m')).out).toContain(`baseURL: 'http://localhost:4700/api/proxy/mine/v1'`);
  });

  test('are listed, renamed, expired, replaced and revoked, and never shown again', async () => {
    const { id, key } = await json<{ id: string; key: string }>(CREATE_KEY, PROVIDER_KEY);
    const outputs = [
      await run(`keys rename ${id} second`),
      await run(`keys expire ${id} 2099-01-31`),
      await run('keys list'),
      await run(`keys expire ${id} never`),
      await run(`keys create --provider anthropic --name sharer --provider-key-of ${id} --tag team=search --json`),
      await run('keys list'),
      await run(`keys replace ${id} --provider-key-stdin`, { stdin: 'sk-ant-good-other-key-777777' }),
      await run(`keys revoke ${id}`),
      await run('keys list --all --json'),
      await run('audit'),
    ];
    expect(outputs.map(({ code, err }) => [code, err])).toEqual(outputs.map(() => [0, '']));
    expect(outputs[2]?.out).toMatch(/second +anthropic +until 31 Jan 2099/);
    expect(outputs[5]?.out.match(/live +…4242, shared by 2$/gm)).toHaveLength(2);
    expect(outputs[6]?.out).toMatch(/"second".*"sharer"|"sharer".*"second"/);
    const all = outputs.map(({ out }) => out).join('');
    for (const secret of [key, PROVIDER_KEY, 'sk-ant-good-other-key-777777']) expect(all).not.toContain(secret);
  });

  test('need a provider key from one source, which is never the command line', async () => {
    const none = await run('keys create --provider anthropic --name x');
    const empty = await run(CREATE_KEY, { stdin: '  \n' });
    const unset = await run('keys create --provider anthropic --name x --provider-key-env NOT_SET');
    expect([none, empty, unset].map(({ code }) => code)).toEqual([1, 1, 1]);
    expect(none.err).toContain('--provider-key-stdin');
    expect(empty.err).toContain('Standard input is empty');
    expect(unset.err).toContain('NOT_SET');
  });

  test('refused by the provider are not created, unless forced', async () => {
    const refused = await run(CREATE_KEY, { stdin: BAD_KEY });
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^tollbook: Anthropic refused this key.* Use --force to keep it\.\n$/);
    const forced = await run(`${CREATE_KEY} --force`, { stdin: BAD_KEY });
    expect(forced.code).toBe(0);
    expect(forced.err).toMatch(/^Warning: /);
    expect(refused.err + forced.out + forced.err).not.toContain(BAD_KEY);
  });
});

describe('tokens', () => {
  test('create --json prints exactly id, name, scopes and token', async () => {
    const created = await json<Record<string, unknown>>('tokens create --name reader');
    expect(Object.keys(created)).toEqual(['id', 'name', 'scopes', 'token']);
    expect(created['scopes']).toEqual(['usage:read', 'alerts:read', 'webhooks:write', 'sync:write']);
    expect(await json('tokens create --name one --scope usage:read --scope admin')).toMatchObject({
      scopes: ['usage:read', 'admin'],
    });
  });

  test('are listed and revoked', async () => {
    const { id, token } = await json<{ id: string; token: string }>('tokens create --name reader');
    expect((await run('tokens list')).out).toContain(id);
    expect((await run(`tokens revoke ${id}`)).code).toBe(0);
    expect((await run('tokens list')).out).toContain('tollbook tokens create');
    expect((await run('tokens list --all --json')).out).not.toContain(token);
  });

  test('are listed with all their scopes', async () => {
    await json('tokens create --name reader-of-some-length');
    const { out } = await run('tokens list');
    for (const scope of ['usage:read', 'alerts:read', 'webhooks:write', 'sync:write'])
      expect(out).toMatch(new RegExp(` ${scope}$`, 'm'));
    await json('tokens create --name all --scope usage:read --scope admin');
    expect((await run('tokens list')).out).toMatch(/ all .* admin$/m);
  });
});

describe('other commands', () => {
  test('use the named workspace', async () => {
    const { id } = await json<{ id: string }>(
      'workspaces create Research --time-zone Europe/Berlin --retention-days 30',
    );
    await json(`tokens create --name theirs --workspace ${id}`);
    expect((await run(`tokens list --workspace ${id}`)).out).toContain('theirs');
    expect((await run('tokens list')).out).not.toContain('theirs');
    expect((await run(`workspaces update ${id} --retention-days ten`)).code).toBe(1);
    expect((await run('workspaces list')).out).toContain('30 days');
    expect((await run('tokens list --workspace ws_none')).err).toContain('ws_none');
  });

  test('prices: set, list, remove', async () => {
    const { id } = await json<{ id: string }>(
      'prices set openai my-model --input 1.5 --output 6 --rate cacheRead=0.15 --fee webSearch=0.01 --from 2026-01-01',
    );
    expect((await run('prices list --own')).out).toMatch(/my-model +1\.5 +6/);
    expect((await run('prices list --provider openai')).out).toContain('my-model');
    expect((await run(`prices remove ${id}`)).code).toBe(0);
    expect((await run('prices list --own')).out).toContain('No custom prices');
    expect((await run('prices set openai my-model --rate cacheRead')).err).toContain('--rate');
    expect((await run('prices refresh')).err).toContain('SVC_PRICES_URL');
  });

  test('providers and webhooks are added and listed', async () => {
    expect((await run('providers add mine http://10.0.0.7:8000/v1 --name Mine')).out).toContain('/api/proxy/mine');
    expect((await run('providers list')).out).toMatch(/mine +Mine +http:\/\/10\.0\.0\.7/);
    expect((await run('providers remove mine')).code).toBe(0);
    const webhook =
      'webhooks create --name ops --url https://example.com/hook --type slack --event budget_alert --secret-stdin --json';
    const created = await run(webhook, { stdin: 'whsec_hidden' });
    expect(JSON.parse(created.out)).toMatchObject({ type: 'SLACK', events: ['BUDGET_WARNING', 'BUDGET_EXCEEDED'] });
    expect(created.out + (await run('webhooks list')).out).not.toContain('hidden');
  });

  test('export writes every format to standard output', async () => {
    expect((await run('export')).out).toMatch(/^id,startedAt,[\s\S]*claude-sonnet-4-5/);
    expect((await run('export --format jsonl')).out).toMatch(/^\{"id":"call_000001"/);
    expect((await run('export --format focus')).out).toMatch(/^BilledCost,/);
    expect((await run('export --format xls')).code).toBe(2);
    expect((await run('export --from soon')).err).toContain('--from "soon" is not a valid time');
  });

  test('a backup restores into an empty folder, with all secrets', async () => {
    const { id } = await json<{ id: string }>(CREATE_KEY, PROVIDER_KEY);
    const copy = join(it.folder, 'copy');
    expect((await run(`backup ${copy}`)).out).toContain('ledger.db');
    expect((await run(`backup ${copy}`)).err).toContain('is not empty');
    expect((await run(`backup ${join(copy, 'ledger.db')}`)).err).toContain("can't be made a folder");
    expect((await run(`backup ${join(it.env['SVC_DATA_DIR'] ?? '', 'below')}`)).err).toContain(
      'inside the data folder',
    );
    expect((await run(`restore ${copy}`)).err).toContain('not empty');
    const env = { SVC_DATA_DIR: join(it.folder, 'restored') };
    const restored = await run(`restore ${copy}`, { env });
    expect([restored.code, restored.err]).toEqual([0, '']);
    expect((await run(`keys create --provider anthropic --name again --provider-key-of ${id}`, { env })).code).toBe(0);
    expect((await run('export', { env })).out).toContain('call_000001');
    expect((await run(`restore ${it.folder}`, { env: { SVC_DATA_DIR: join(it.folder, 'third') } })).err).toContain(
      'No backup in',
    );
  });

  test('the secret is rotated, and the doctor reports no problem', async () => {
    const { id } = await json<{ id: string }>(CREATE_KEY, PROVIDER_KEY);
    const secretFile = join(it.env['SVC_DATA_DIR'] ?? '', 'secret');
    const before = readFileSync(secretFile, 'utf8');
    expect((await run('secret rotate')).code).toBe(0);
    expect(readFileSync(secretFile, 'utf8')).not.toBe(before);
    expect((await run(`keys create --provider anthropic --name again --provider-key-of ${id}`)).code).toBe(0);
    expect(await json('doctor')).toMatchObject({ ok: true });
    expect((await run('doctor')).out.match(/skipped  providers: /g)).toHaveLength(1);
  });

  test('the doctor checks the providers of existing keys', async () => {
    const asked = async () =>
      (await json<{ checks: { name: string; state: string }[] }>('doctor --online')).checks
        .slice(-1)
        .map(({ name, state }) => [name, state]);
    expect(await asked()).toEqual([['providers', 'skipped']]);
    await json(CREATE_KEY, PROVIDER_KEY);
    expect(await asked()).toEqual([['Anthropic', 'ok']]);
    expect((await run('doctor --online')).out).not.toContain('OpenAI');
  });

  test('the audit lists all workspaces, or the named one', async () => {
    const { id } = await json<{ id: string }>('workspaces create other');
    await json(CREATE_KEY, PROVIDER_KEY);
    await json(`${CREATE_KEY} --workspace ${id}`, PROVIDER_KEY);
    const actions = async (more: string) =>
      (await json<{ rows: { action: string }[] }>(`audit${more}`)).rows.map(({ action }) => action);
    expect(await actions('')).toEqual(['key.create', 'key.create', 'workspace.create']);
    expect(await actions(` --workspace ${id}`)).toEqual(['key.create', 'workspace.create']);
  });

  test('doctor fails when something is wrong', async () => {
    const ran = await run('doctor', { env: { SVC_SECRET: 'not the one that was used before' } });
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('SVC_SECRET');
  });
});

describe('a usage error', () => {
  test.each([
    '',
    'nonsense',
    'keys',
    'keys create',
    'keys create --nonsense',
    'tokens create',
    'keys rename one',
    'serve now please',
  ])('of %j ends with exit code 2 and shows the usage', async (line) => {
    const { code, out, err } = await run(line);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/Usage: tollbook|error: /);
  });

  test('names a misspelled option, not the required one that it should have been', async () => {
    const { code, err } = await run('keys create --provder openai --name x');
    expect([code, err]).toEqual([2, expect.stringContaining("unknown option '--provder'\n(Did you mean --provider?)")]);
    expect((await run('keys create --name --provder')).err).toContain(
      "required option '--provider <id>' not specified",
    );
  });

  test('of an unknown class of tokens lists the classes', async () => {
    expect((await run('prices set openai x --rate inputs=3')).err).toContain('choose from input,');
    expect((await run('contracts set --fee searches=3')).err).toContain('choose from webSearch,');
  });

  test('is not printed for help, which ends with exit code 0', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, err: '' });
    expect((await run('keys create --help')).out).toContain('--provider-key-stdin');
  });

  test('names invalid settings', async () => {
    expect((await run('keys list', { env: { SVC_PORT: 'lots' } })).err).toContain('SVC_PORT');
  });
});

describe('while a service runs', () => {
  test('commands use its socket, and its errors are printed as sentences', async () => {
    const running = await openTestLedger();
    const requests: string[] = [];
    const listener = getRequestListener((request) => {
      requests.push(`${request.method} ${new URL(request.url).pathname}`);
      return running.ledger.fetch(request, { caller: 'owner' });
    });
    const server = createServer((request, answer) => void listener(request, answer));
    const folder = running.env['SVC_DATA_DIR'] ?? '';
    server.listen(controlSocketPath(folder));
    await once(server, 'listening');
    const env = { SVC_DATA_DIR: folder };
    expect((await run('tokens create --name reader --json', { env })).code).toBe(0);
    expect(requests).toContain('POST /api/manage/tokens');
    expect((await run('keys revoke key_none', { env })).err).toMatch(/^tollbook: No wrapped key "key_none" .*\n$/);
    expect((await run('export', { env })).out).toMatch(/^id,/);
    server.close();
    await running.close();
  });

  test.runIf(process.platform !== 'win32')('the socket of a dead service is ignored', async () => {
    const path = controlSocketPath(it.env['SVC_DATA_DIR'] ?? '');
    spawnSync(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`,
    ]);
    expect(existsSync(path)).toBe(true);
    expect((await run('tokens list')).code).toBe(0);
  });
});

/** In a process of its own, which this one must not block: the provider of the tests lives here. */
async function spawned(args: readonly string[], input = ''): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, ['src/main.ts', ...args], { env: it.env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  return { code, out };
}

test('the program reads its own arguments, input and environment, and leaves no secret in its folder', async () => {
  const created = await spawned([...CREATE_KEY.split(' '), '--json'], PROVIDER_KEY);
  expect(created.code).toBe(0);
  const { key } = JSON.parse(created.out) as { key: string };
  expect(await spawned(['keys', 'revoke', 'key_none'])).toEqual({ code: 1, out: '' });
  expect((await spawned(['nonsense'])).code).toBe(2);
  const folder = it.env['SVC_DATA_DIR'] ?? '';
  for (const file of readdirSync(folder).filter((name) => !name.endsWith('.sock'))) {
    const bytes = readFileSync(join(folder, file), 'latin1');
    for (const secret of [key, PROVIDER_KEY]) expect(bytes.includes(secret)).toBe(false);
  }
});

test('starting the tool server in a terminal prints what it waits for, and starting it from a host does not', async () => {
  expect((await run('tools', { inIsTerminal: true })).err).toContain('tools --setup');
  expect((await run('tools')).err).toBe('');
});
