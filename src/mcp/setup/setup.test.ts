import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LaunchCommand } from './host.ts';
import { hosts } from './hosts.ts';
import { setUp } from './setup.ts';

const LAUNCH: LaunchCommand = { command: '/opt/node', args: ['/opt/tollbook.mjs', 'tools'], env: {}, key: null };

let home: string;
let printed: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tollbook-setup-'));
  printed = '';
});
afterEach(() => rmSync(home, { recursive: true }));

function fileOf(name: string, platform: NodeJS.Platform = 'linux', env = {}): string {
  const host = hosts.find((one) => one.name === name);
  return host?.file({ home, platform, env }) ?? '';
}

function write(name: string, text: string): string {
  const file = fileOf(name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function run(names: readonly string[], launch: Partial<LaunchCommand> = {}, agrees = true): Promise<void> {
  return setUp({
    names,
    launch: { ...LAUNCH, ...launch },
    surroundings: { home, platform: 'linux', env: {} },
    clock: () => Date.parse('2026-11-21T12:00:00Z'),
    print: (text) => void (printed += text),
    agree: () => Promise.resolve(agrees),
  });
}

const read = (name: string): string => readFileSync(fileOf(name), 'utf8');

describe.each(['claude-code', 'claude-desktop', 'cursor', 'vscode'])('%s', (name) => {
  const field = name === 'vscode' ? 'servers' : 'mcpServers';

  test('keeps other settings, shows the change, and leaves a backup', async () => {
    const before = JSON.stringify({ theme: 'dark', [field]: { other: { command: 'x' } } }, null, 4);
    const file = write(name, before);
    await run([name]);
    const after = JSON.parse(read(name)) as Record<string, Record<string, unknown>>;
    expect(after).toMatchObject({
      theme: 'dark',
      [field]: { other: { command: 'x' }, tollbook: { command: '/opt/node' } },
    });
    expect(read(name)).toContain('\n    "theme": "dark"');
    expect(printed).toContain('"command": "/opt/node"');
    const copy = readdirSync(dirname(file)).find((one) => one.includes('.before-tollbook-')) ?? '';
    expect(readFileSync(join(dirname(file), copy), 'utf8')).toBe(before);
  });

  test('is set up once: a second time changes nothing', async () => {
    await run([name]);
    const once = read(name);
    await run([name]);
    expect(read(name)).toBe(once);
    expect(printed).toContain('Already set up.');
  });

  test('is not changed without confirmation', async () => {
    await run([name], {}, false);
    expect(existsSync(fileOf(name))).toBe(false);
    expect(printed).toContain('Not changed.');
  });

  test.each([
    ['comments', '// mine\n{ "a": 1 }'],
    ['a number that would be rounded', '{ "id": 12345678901234567890 }'],
    ['a name that stands twice', '{ "a": 1, "a": 2 }'],
    ['a list', '[]'],
  ])('with %s is left unchanged, and the lines to paste are shown', async (_, text) => {
    write(name, text);
    await expect(run([name])).rejects.toThrow('Add the lines above by hand');
    expect(read(name)).toBe(text);
    expect(printed).toContain('Add this by hand');
    expect(printed).toContain('"tollbook"');
  });

  test('gets the token only if requested, and then never on the screen', async () => {
    await run([name]);
    expect(read(name)).not.toContain('svc_sk_');
    chmodSync(fileOf(name), 0o644);
    await run([name], { key: 'svc_sk_TheSecretOfTheTest' });
    expect(read(name)).toContain('svc_sk_TheSecretOfTheTest');
    expect(printed).not.toContain('TheSecret');
    expect(statSync(fileOf(name)).mode & 0o077).toBe(0);
  });

  test('keeps earlier settings unless new ones are given', async () => {
    const SVC_CODEX_AUTO_SYNC = 'false';
    const first = { SVC_API_URL: 'https://a.example.com', SVC_CODEX_AUTO_SYNC, SVC_AUTO_SYNC: 'true' };
    await run([name], { key: 'svc_sk_TheSecretOfTheTest', env: first });
    const written = JSON.parse(read(name)) as Record<string, Record<string, object>>;
    Object.assign(written[field]?.['tollbook'] ?? {}, { disabled: true, command: 'old' });
    write(name, JSON.stringify(written));
    chmodSync(fileOf(name), 0o644);
    await run([name], { env: { SVC_API_URL: 'https://b.example.com' } });
    const folder = dirname(fileOf(name));
    for (const one of readdirSync(folder)) expect(statSync(join(folder, one)).mode & 0o077, one).toBe(0);
    const env = {
      SVC_API_URL: 'https://b.example.com',
      SVC_CODEX_AUTO_SYNC,
      SVC_API_KEY: 'svc_sk_TheSecretOfTheTest',
    };
    const now = JSON.parse(read(name)) as Record<string, unknown>;
    expect(now).toMatchObject({ [field]: { tollbook: { command: '/opt/node', disabled: true } } });
    expect(now).toHaveProperty([field, 'tollbook', 'env'], env);
    expect(printed).not.toContain('--with-key');
  });
});

describe('codex', () => {
  test('gets a table at the end of its file', async () => {
    write('codex', 'model = "gpt-5" # mine\n\n[analytics]\nenabled = false\n');
    await run(['codex'], { env: { SVC_API_URL: 'https://usage.example.com' } });
    expect(read('codex')).toBe(`model = "gpt-5" # mine

[analytics]
enabled = false

[mcp_servers.tollbook]
command = "/opt/node"
args = ["/opt/tollbook.mjs", "tools"]
env = { SVC_API_URL = "https://usage.example.com" }
env_vars = ["SVC_API_KEY"]
`);
    await run(['codex'], { env: { SVC_API_URL: 'https://usage.example.com' } });
    expect(printed).toContain('Already set up.');
  });

  test('has its own table replaced in place, with sub-tables', async () => {
    write(
      'codex',
      '[mcp_servers.tollbook]\ncommand = "old"\nargs = [\n  "x",\n]\nstartup_timeout_sec = 20\n\n# ours\n[mcp_servers.tollbook.env]\nA = "b"\n#B = "c"\nD = \'C:\\u\'\n\n# mine\n[other]\nx = 1\n',
    );
    await run(['codex'], { key: 'svc_sk_k' });
    expect(read('codex')).toBe(`[mcp_servers.tollbook]
command = "/opt/node"
args = ["/opt/tollbook.mjs", "tools"]
env = { A = "b", D = "C:\\\\u", SVC_API_KEY = "svc_sk_k" }
startup_timeout_sec = 20

# mine
[other]
x = 1
`);
    await run(['codex']);
    expect(printed).toContain('Already set up.');
  });

  test.each(['mcp_servers = { a = { command = "x" } }\n', '[mcp_servers]\ntollbook = { command = "x" }\n'])(
    'with %j is left unchanged, and the lines to paste are shown',
    async (text) => {
      write('codex', text);
      await expect(run(['codex'])).rejects.toThrow('Add the lines above by hand');
      expect(read('codex')).toBe(text);
      expect(printed).toContain('Add this by hand');
    },
  );
});

test('a file that is a link stays a link', async () => {
  const real = join(home, 'dotfiles.json');
  writeFileSync(real, '{}');
  mkdirSync(dirname(fileOf('cursor')), { recursive: true });
  symlinkSync(real, fileOf('cursor'));
  await run(['cursor']);
  expect(readFileSync(real, 'utf8')).toContain('tollbook');
});

test('without a name, all installed hosts are set up', async () => {
  write('cursor', '{}');
  write('codex', '');
  await run([]);
  expect([...printed.matchAll(/^(\w[\w ]+): \//gm)].map(([, title]) => title)).toEqual(['Codex', 'Cursor']);
});

test('without an installed host, or with an unknown one, the error lists the names', async () => {
  await expect(run([])).rejects.toThrow('claude-code, codex, claude-desktop, cursor, vscode');
  await expect(run(['emacs'])).rejects.toThrow('use one of claude-code');
});

test.each([
  ['claude-desktop', 'darwin', {}, 'Library/Application Support/Claude/claude_desktop_config.json'],
  ['claude-desktop', 'win32', {}, 'AppData/Roaming/Claude/claude_desktop_config.json'],
  ['vscode', 'darwin', {}, 'Library/Application Support/Code/User/mcp.json'],
  ['vscode', 'linux', {}, '.config/Code/User/mcp.json'],
  ['claude-code', 'linux', {}, '.claude.json'],
] as const)('%s on %s is set up in its settings file', (name, platform, env, path) => {
  expect(fileOf(name, platform, env)).toBe(join(home, path));
});
