/**
 * Runs every script `lint:…` of package.json and prints what each one said, whole, as soon as it ends. All of them run,
 * whatever failed before; it fails when one of them failed. Plain JavaScript of Node 20, which starts it where that is the
 * system's. Another folder can be named for its tests.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, freemem } from 'node:os';
import { delimiter, join } from 'node:path';
import { argv, env, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

const PREFIX = 'lint:';
/** The slowest checks take about the same time. */
const CHECK_BYTES = 1.5 * 1024 ** 3;
const AT_ONCE_MAX = 3;

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = argv[2] ?? root;
const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const checks = Object.entries(scripts).filter(([name]) => name.startsWith(PREFIX));
const failed = await runAll(checks, Math.min(AT_ONCE_MAX, availableParallelism(), Math.floor(freemem() / CHECK_BYTES)));
const names = checks.map(([name]) => name).filter((name) => failed.has(name));
stdout.write(names.length === 0 ? `lint: ${checks.length} checks are good\n` : `lint: failed: ${names.join(', ')}\n`);
process.exitCode = names.length === 0 && checks.length > 0 ? 0 : 1;

async function runAll(all, atOnce) {
  const waiting = [...all];
  const failures = new Set();
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const [name, command] = check;
      const { code, text } = await run(command);
      if (code !== 0) failures.add(name);
      stdout.write(`--- ${name}: ${code === 0 ? 'ok' : 'failed'}\n${text}`);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, work));
  return failures;
}

/** A program that can't be started has failed, with the shell's reason as its text. */
function run(command) {
  return new Promise((resolve) => {
    const pieces = [];
    // What npm installed comes first, Node too: the system's may be too old for the checks.
    const path = `${join(root, 'node_modules', '.bin')}${delimiter}${env.PATH}`;
    const child = spawn(command, { cwd: folder, env: { ...env, PATH: path }, shell: true, stdio: 'pipe' });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(piece));
    child.on('close', (code) => resolve({ code, text: Buffer.concat(pieces).toString() }));
  });
}
