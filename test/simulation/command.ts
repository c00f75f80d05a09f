import { parseArgs } from 'node:util';
import type { Played } from './player.ts';
import { run } from './run.ts';
import { HOUR_MS } from '../../src/domain/time/units.ts';

const OPTIONS = `[--hours H] [--schedules N] [--seed S] [--length L]
  --hours H      for so long; parts of an hour too (0.5)
  --schedules N  so many; without --hours, 100,000 unless told otherwise
  --seed S       of the first schedule; the others count up from it (default: a random one)
  --length L     steps of every schedule (default: each has its own, 20 to 300)`;
const SCHEDULES = 100_000;
const SEED_MAX = 2 ** 31;
const LENGTH_MAX = 10_000;
const HOURS_MAX = 1_000;
const TERMINAL_MS = 2_000;
const LOG_MS = 60_000;

interface Asked {
  readonly hours: number | null;
  readonly schedules: number;
  readonly seed: number;
  readonly length: number | null;
}

class BadArgument extends Error {}

function readArguments(argv: readonly string[]): Asked {
  const { hours, schedules, seed, length } = parse(argv);
  const forHours = hours === undefined ? null : Number(hours);
  if (forHours !== null && !(forHours > 0 && forHours <= HOURS_MAX))
    throw new BadArgument(`--hours is a number above 0, at most ${HOURS_MAX}; "${hours}" is not.`);
  const most = forHours === null ? SCHEDULES : Number.MAX_SAFE_INTEGER;
  return {
    hours: forHours,
    schedules: wholeNumber('--schedules', schedules, 1, Number.MAX_SAFE_INTEGER) ?? most,
    seed: wholeNumber('--seed', seed, 0, SEED_MAX) ?? Math.floor(Math.random() * SEED_MAX),
    length: wholeNumber('--length', length, 1, LENGTH_MAX),
  };
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({ args: [...argv], options: { hours: text, schedules: text, seed: text, length: text } }).values;
  } catch (error) {
    throw new BadArgument(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(name: string, written: string | undefined, least: number, most: number): number | null {
  if (written === undefined) return null;
  const value = /^\d+$/.test(written) ? Number(written) : NaN;
  if (value >= least && value <= most) return value;
  throw new BadArgument(`${name} is a whole number from ${least} to ${most}; "${written}" is not.`);
}

/** Says now and then how far it is: over and over in one line of a terminal, else line by line. */
function progressOf(startedAt: number): (played: Played) => void {
  const { isTTY } = process.stdout;
  let saidAt = startedAt;
  return (played) => {
    const now = performance.now();
    if (now - saidAt < (isTTY ? TERMINAL_MS : LOG_MS)) return;
    saidAt = now;
    process.stdout.write(isTTY ? `\r${describe(played, now - startedAt)}` : `${describe(played, now - startedAt)}\n`);
  };
}

function describe({ schedules, steps }: Played, ms: number): string {
  const perSecond = Math.round((schedules * 1_000) / ms);
  const [many, all] = [schedules, steps].map((count) => count.toLocaleString('en-US'));
  return `${many} schedules, ${all} steps in ${Math.round(ms / 1_000)} s (${perSecond} schedules a second)`;
}

async function simulate(player: URL, { hours, schedules, seed, length }: Asked): Promise<number> {
  const startedAt = performance.now();
  process.stdout.write(`Schedules from seed ${seed} on.\n`);
  const played = await run({
    player,
    seed,
    length,
    schedulesMax: schedules,
    isOver: () => hours !== null && performance.now() - startedAt >= hours * HOUR_MS,
    onProgress: progressOf(startedAt),
  });
  const line = `${process.stdout.isTTY ? '\r' : ''}${describe(played, performance.now() - startedAt)}`;
  if (played.failure === null) process.stdout.write(`${line}: everything always held.\n`);
  else process.stdout.write(`${line}: one of them failed.\n\n${played.failure}\n`);
  return played.failure === null ? 0 : 1;
}

/**
 * Plays schedules for as long, or as many, as the arguments of the process ask.
 * @param script the npm script that runs it
 * @param player the module that plays them in worker threads
 */
export async function runCommand(script: string, player: URL): Promise<void> {
  try {
    process.exitCode = await simulate(player, readArguments(process.argv.slice(2)));
  } catch (error) {
    if (!(error instanceof BadArgument)) throw error;
    process.stderr.write(`${error.message}\n\nnpm run ${script} -- ${OPTIONS}\n`);
    process.exitCode = 2;
  }
}
