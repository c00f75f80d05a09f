#!/usr/bin/env node
/**
 * Starts Tollbook under Node 24 or later. An older Node re-executes this file with the runtime that npm installed
 * beside it. Plain JavaScript, so that any Node can read it far enough to say what is missing.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_MIN = 24;
const PARENT_WATCH_MS = 250;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const entry = new URL('../dist/main.js', import.meta.url);

if (!existsSync(entry)) stop('Tollbook is not built yet. Run `npm run build` first.');
else if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN) await run();
else runUnder(findRuntime());

async function run() {
  // The channel closes when the older Node that started this process is gone, however it went: then close as if told.
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
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(runtime, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
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
