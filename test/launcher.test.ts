import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const launcher = fileURLToPath(new URL('../bin/tollbook.mjs', import.meta.url));
const runtime = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
/** Makes the running Node look older than the launcher accepts; the process that it starts is not touched. */
const OLD_NODE = [
  '--import',
  `data:text/javascript,${encodeURIComponent("Object.defineProperty(process.versions, 'node', { value: '20.20.0' })")}`,
];
const PROGRAM = `
const [what, ...rest] = process.argv.slice(2);
if (what === 'print') console.log(JSON.stringify({ rest, node: process.versions.node }));
if (what === 'fail') process.exitCode = 3;
if (what === 'die') process.kill(process.pid, 'SIGKILL');
if (what === 'serve' && rest[0] === 'settings') console.log(JSON.stringify(settings()));
else if (what === 'settings') console.log(JSON.stringify(settings()));
else if (what === 'serve') {
  const running = setInterval(() => undefined, 1000);
  process.on('SIGTERM', () => { console.log('closed'); clearInterval(running); process.exitCode = 7; });
  console.log('serving');
}
function settings() {
  const { pid, execArgv, env } = process;
  return { pid, nursery: execArgv.find((flag) => flag.includes('semi-space')) ?? null, arenas: env.MALLOC_ARENA_MAX ?? null };
}`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-launcher-'));
  mkdirSync(join(folder, 'bin'));
  copyFileSync(launcher, join(folder, 'bin', 'tollbook.mjs'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function installProgram(): void {
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist', 'main.js'), PROGRAM);
}

function installRuntime(): void {
  const bin = join(folder, 'node_modules', runtime, 'bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, join(bin, process.platform === 'win32' ? 'node.exe' : 'node'));
}

function launch(nodeArgs: string[], ...args: string[]): ChildProcess {
  return spawn(process.execPath, [...nodeArgs, join(folder, 'bin', 'tollbook.mjs'), ...args]);
}

async function finish(child: ChildProcess): Promise<{ code: number | null; signal: string | null; text: string }> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode, signal: child.signalCode, text };
}

test('without a build, the launcher names the command that builds', async () => {
  const { code, text } = await finish(launch([], 'print'));
  expect({ code, text }).toEqual({ code: 1, text: 'Tollbook is not built yet. Run `npm run build` first.\n' });
});

test('an old Node without the bundled runtime says what to install', async () => {
  installProgram();
  const { code, text } = await finish(launch(OLD_NODE, 'print'));
  expect(code).toBe(1);
  expect(text).toContain('Tollbook needs Node 24 or later');
});

for (const [name, nodeArgs] of [
  ['a new Node', []],
  ['an old Node', OLD_NODE],
] as const) {
  test(`under ${name} arguments and the exit code pass through`, async () => {
    installProgram();
    installRuntime();
    const printed = await finish(launch([...nodeArgs], 'print', '--tag', 'a b=c'));
    expect(JSON.parse(printed.text)).toEqual({ rest: ['--tag', 'a b=c'], node: process.versions.node });
    expect((await finish(launch([...nodeArgs], 'fail'))).code).toBe(3);
    expect((await finish(launch([...nodeArgs], 'die'))).signal).toBe('SIGKILL');
  });

  test(`under ${name} a signal reaches the program, which shuts down gracefully`, async () => {
    installProgram();
    installRuntime();
    const child = launch([...nodeArgs], 'serve');
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    const { code, text } = await finish(child);
    expect({ code, text }).toEqual({ code: 7, text: 'serving\nclosed\n' });
  });
}

test('the service runs with low-memory options in the same process', async () => {
  installProgram();
  installRuntime();
  const child = launch([], 'serve', 'settings');
  const small = { nursery: '--max-semi-space-size=8', arenas: '1' };
  // Windows has no way for a process to become another.
  const own = process.platform === 'win32' ? { nursery: null, arenas: null } : small;
  expect(JSON.parse((await finish(child)).text)).toEqual({ ...own, pid: child.pid });
  expect(JSON.parse((await finish(launch(OLD_NODE, 'serve', 'settings'))).text)).toMatchObject(small);
});

test('other commands run without them, and a heap size set by the user wins', async () => {
  installProgram();
  expect(JSON.parse((await finish(launch([], 'settings'))).text)).toMatchObject({ nursery: null, arenas: null });
  const said = launch(['--max-semi-space-size=32'], 'serve', 'settings');
  expect(JSON.parse((await finish(said)).text)).toMatchObject({ nursery: '--max-semi-space-size=32', arenas: null });
});

test('kill -9 of the launcher under an old Node leaves no program behind', async () => {
  installProgram();
  installRuntime();
  const child = launch(OLD_NODE, 'serve');
  child.stdout?.once('data', () => child.kill('SIGKILL'));
  // The output closes only when the program itself has gone too.
  const { signal, text } = await finish(child);
  expect({ signal, text }).toEqual({ signal: 'SIGKILL', text: 'serving\nclosed\n' });
});

test("ending npm's shell closes the program", async () => {
  installProgram();
  const command = `"${process.execPath}" "${join(folder, 'bin', 'tollbook.mjs')}" serve; true`;
  const shell = spawn(command, { shell: true, env: { ...process.env, npm_lifecycle_event: 'start' } });
  shell.stdout.once('data', () => shell.kill('SIGTERM'));
  const { text } = await finish(shell);
  expect(text).toBe('serving\nclosed\n');
});
