#!/usr/bin/env node
/**
 * Starts Tollbook under Node 24 or later. An older Node re-executes this file with the runtime that npm installed
 * beside it, and the service is re-executed once more, in the same process, with settings that keep it small and that
 * Node takes at its start only. Plain JavaScript, so that any Node can read it far enough to say what is missing.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { env, execArgv, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_MIN = 24;
const PARENT_WATCH_MS = 250;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/**
 * Garbage of calls dies young: V8 would let 16 MB grow to 128 for it. The table of decisions/012 has the figures. What a
 * person says in NODE_OPTIONS wins.
 */
const SMALL = '--max-semi-space-size';
const SMALL_FLAGS = [
  SMALL + '=8',
  '--no-parallel-scavenge',
  '--no-maglev',
  '--concurrent-turbofan-max-threads=1',
  '--expose-gc',
];
/**
 * What compilers have freed is kept for one heap, not for one of each thread. Memory of large bodies is returned when it is
 * freed: by itself, glibc keeps such blocks after the first.
 */
const SMALL_ENV = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '524288' };
const serves = process.argv[2] === 'serve';
const entry = new URL('../dist/main.js', import.meta.url);

if (!existsSync(entry)) stop('Tollbook is not built yet. Run `npm run build` first.');
else if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) runUnder(findRuntime());
else if (serves && canRestart()) restart();
else await run();

/** Not with a channel to a parent, which would be cut; nor on Windows, where a process can't become another. */
function canRestart() {
  const settings = execArgv.concat(env.NODE_OPTIONS ?? '');
  return process.platform !== 'win32' && !process.channel && !settings.some((setting) => setting.includes(SMALL));
}

function restart() {
  const args = [process.argv[0], ...SMALL_FLAGS, ...execArgv, ...process.argv.slice(1)];
  process.execve(execPath, args, { ...SMALL_ENV, ...env });
}

async function run() {
  // The channel closes when the older Node that started this process is gone, however it went: then close as if asked to.
  if (process.channel) {
    process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
    process.channel.unref();
  }
  // npm answers a signal by ending the shell between itself and this process, which would serve on, owned by nobody.
  if (env.npm_lifecycle_event) closeWhenOrphaned();
  await import(entry.href);
}

function closeWhenOrphaned() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_WATCH_MS);
  watch.unref();
}

function findRuntime() {
  const windows = process.platform === 'win32';
  const name = 'node-' + (windows ? 'win' : process.platform) + '-' + process.arch;
  try {
    return createRequire(import.meta.url).resolve(name + '/bin/node' + (windows ? '.exe' : ''));
  } catch {
    const found = 'Tollbook needs Node 24 or later; this is ' + process.version + '.';
    return stop(found + ' Install a newer Node, or install again without --omit=optional.');
  }
}

function runUnder(runtime) {
  const args = [...(serves ? SMALL_FLAGS : []), fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(runtime, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: serves ? { ...SMALL_ENV, ...env } : env,
  });
  // A terminal sends Ctrl-C to both processes; passing it on would be a second one.
  const atTerminal = process.stdin.isTTY || process.stdout.isTTY;
  const passOn = (signal) => (signal === 'SIGINT' && atTerminal ? undefined : child.kill(signal));
  for (const signal of SIGNALS) process.on(signal, passOn);
  child.on('error', (error) => stop('The runtime ' + runtime + ' did not start: ' + error.message));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of SIGNALS) process.removeListener(name, passOn);
    process.kill(process.pid, signal);
  });
}

function stop(sentence) {
  process.stderr.write(sentence + '\n');
  process.exit(1);
}
