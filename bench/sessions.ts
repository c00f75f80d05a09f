// What session files cost to read: `node bench/sessions.ts [--rival /path/of/ccusage] [--before /path] [--runs 7] [--mb 400] [--big]`.
// Writes three parts of Claude Code and one of Codex whose true usage is known, then runs the built command, first without
// and then with what was kept, in turn with the rival and with another built copy of Tollbook. `--big` reads one file of 3 GiB
// instead. Linux: `/usr/bin/time`.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { sumClasses, TOKEN_CLASSES } from '../src/domain/usage/usage.ts';
import type { LocalCall } from '../src/domain/sessions/local-call.ts';
import { Prose } from '../test/sessions/prose.ts';
import { writeClaudeTree } from '../test/sessions/claude-tree.ts';
import { writeCodexTree } from '../test/sessions/codex-tree.ts';
import { seeded } from '../test/seeded.ts';
import { machine, median, table } from './page.ts';

const { values: flags } = parseArgs({
  options: {
    rival: { type: 'string' },
    before: { type: 'string' },
    mb: { type: 'string', default: '400' },
    runs: { type: 'string', default: '7' },
    big: { type: 'boolean', default: false },
    dir: { type: 'string', default: join(tmpdir(), 'tollbook-sessions') },
  },
});

const MB = 1_000_000;
const BIG_BYTES = 3 * 1024 ** 3;
const UNTIL = Date.UTC(2026, 10, 20);
const LAUNCHER = fileURLToPath(new URL('../bin/tollbook.mjs', import.meta.url));
const places = { HOME: join(flags.dir, 'home'), XDG_CACHE_HOME: join(flags.dir, 'cache') };

interface Run {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly out: string;
}

interface Report {
  readonly totals: Readonly<Record<'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheCreationTokens', number>>;
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Run {
  const began = performance.now();
  const { stdout, stderr, status } = spawnSync('/usr/bin/time', ['-f', '%U %S %M', command, ...args], {
    env: { PATH: process.env['PATH'], ...places, ...env },
    encoding: 'utf8',
    maxBuffer: 1_000 * MB,
  });
  const wallMs = performance.now() - began;
  if (status !== 0) throw new Error(`${command} failed: ${stderr.slice(0, 2_000)}`);
  const [user = 0, system = 0, peak = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { wallMs, cpuMs: (user + system) * 1_000, peakMb: peak / 1_024, out: stdout };
}

function own(env: Readonly<Record<string, string>>, launcher = LAUNCHER): Run {
  return run(process.execPath, [launcher, 'usage', '--json'], env);
}

/** Tokens of a report. */
function readResult({ out }: Run): number {
  const { totals } = JSON.parse(out) as Report;
  return totals.inputTokens + totals.outputTokens + totals.cacheReadTokens + totals.cacheCreationTokens;
}

function tokensOf(calls: readonly LocalCall[]): number {
  const inferences = calls.flatMap(({ usage }) => usage.inferences);
  return inferences.reduce((sum, { tokens }) => sum + sumClasses(tokens, TOKEN_CLASSES), 0);
}

/** The rival stops at a row that was cut. */
function untear(path: string): void {
  if (path.endsWith('.jsonl')) truncateSync(path, readFileSync(path).lastIndexOf('\n') + 1);
}

function compare(): void {
  const env = { CLAUDE_CONFIG_DIR: join(flags.dir, 'claude'), CODEX_HOME: join(flags.dir, 'codex') };
  rmSync(flags.dir, { recursive: true, force: true });
  const random = seeded(7);
  const prose = new Prose(random);
  const projects = join(env.CLAUDE_CONFIG_DIR, 'projects');
  const claude = writeClaudeTree(random, prose, {
    folder: projects,
    bytes: (Number(flags.mb) * 3 * MB) / 4,
    until: UNTIL,
  });
  const codex = writeCodexTree(random, prose, {
    folder: env.CODEX_HOME,
    bytes: (Number(flags.mb) * MB) / 4,
    until: UNTIL,
  });
  codex.paths.forEach(untear);
  const truth = tokensOf([...claude.calls, ...codex.calls]);
  const runs = {
    rival: [] as Run[],
    before: [] as Run[],
    'before, again': [] as Run[],
    first: [] as Run[],
    second: [] as Run[],
  };
  for (let left = Number(flags.runs); left > 0; left--) {
    rmSync(places.XDG_CACHE_HOME, { recursive: true, force: true });
    if (flags.rival) runs.rival.push(run(flags.rival, ['daily', '--offline', '--json'], env));
    if (flags.before !== undefined) {
      const launcher = join(flags.before, 'bin', 'tollbook.mjs');
      runs.before.push(own(env, launcher));
      runs['before, again'].push(own(env, launcher));
      rmSync(places.XDG_CACHE_HOME, { recursive: true, force: true });
    }
    runs.first.push(own(env));
    runs.second.push(own(env));
  }
  for (const one of [...runs.first, ...runs.second])
    if (readResult(one) !== truth) throw new Error(`${readResult(one)} tokens were found, and ${truth} were used.`);
  const rivalMs = median(runs.rival.map(({ wallMs }) => wallMs));
  const rows = Object.entries(runs).flatMap(([name, list]) => {
    if (list.length === 0) return [];
    const wallMs = median(list.map((one) => one.wallMs));
    const rest = [median(list.map((one) => one.cpuMs)), median(list.map((one) => one.peakMb))].map((x) => x.toFixed(0));
    return [[name, wallMs.toFixed(0), ...rest, runs.rival.length > 0 ? (wallMs / rivalMs).toFixed(2) : '']];
  });
  console.log(`${machine()}; ${claude.paths.length + codex.paths.length} files, ${truth} tokens, all found`);
  console.log(table(['run', 'wall ms', 'CPU ms', 'peak MB', 'of the rival'], rows));
}

/** One session that says the same again and again, so that what is known of it stays small. */
function readBig(): void {
  const env = { CLAUDE_CONFIG_DIR: join(flags.dir, 'big'), CODEX_HOME: join(flags.dir, 'none') };
  const path = join(env.CLAUDE_CONFIG_DIR, 'projects', '-big', 'session.jsonl');
  if (!existsSync(path) || statSync(path).size < BIG_BYTES) {
    const random = seeded(8);
    const folder = join(flags.dir, 'part');
    const { paths } = writeClaudeTree(random, new Prose(random), { folder, bytes: 20 * MB, until: UNTIL });
    const part = Buffer.concat(paths.flatMap((one) => [readFileSync(one), Buffer.from('\n')]));
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '');
    for (let size = 0; size < BIG_BYTES; size += part.length) appendFileSync(path, part);
  }
  rmSync(places.XDG_CACHE_HOME, { recursive: true, force: true });
  const rows = ['first', 'second'].map((name) => {
    const { wallMs, cpuMs, peakMb } = own(env);
    return [name, wallMs.toFixed(0), cpuMs.toFixed(0), peakMb.toFixed(0)];
  });
  console.log(`${machine()}; one file of ${(statSync(path).size / 1024 ** 3).toFixed(1)} GiB`);
  console.log(table(['run', 'wall ms', 'CPU ms', 'peak MB'], rows));
}

if (flags.big) readBig();
else compare();
