import { PassThrough, Readable } from 'node:stream';
import { runProgram } from '../src/cli/program.ts';
import type { CommandTerminal } from '../src/cli/terminal.ts';
import { type Clock, systemClock } from '../src/lib/clock.ts';

export interface Ran {
  /** Exit code. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface LineOptions {
  readonly env: CommandTerminal['env'];
  readonly clock?: Clock;
  readonly stdin?: string;
  /** What a person types when asked, at a terminal; absent = nobody is there. */
  readonly typed?: string;
  /** Width of the terminal, by default 80; null = what is printed goes into a pipe. */
  readonly columns?: number | null;
  /** Receives what is printed as it comes. */
  readonly onOut?: (text: string) => void;
}

/** Runs one command line in this process. Spaces separate words; a `'quoted'` word may contain spaces. */
export async function runLine(line: string, options: LineOptions): Promise<Ran> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return await runWords(words, options);
}

/** Runs the command line of these words in this process. */
export async function runWords(
  words: readonly string[],
  { env, clock = systemClock, stdin = '', typed, columns = 80, onOut }: LineOptions,
): Promise<Ran> {
  const ran = { out: '', err: '' };
  const terminal: CommandTerminal = {
    out(piece) {
      ran.out += piece;
      onOut?.(piece);
    },
    err: (piece) => void (ran.err += piece),
    outBytes: async (piece) => void (ran.out += Buffer.from(piece).toString()),
    readIn: async () => stdin,
    streams: { input: Readable.from(typed === undefined ? [] : [typed]), output: new PassThrough() },
    inIsTerminal: typed !== undefined,
    columns: columns ?? undefined,
    env,
  };
  const code = await runProgram(words, terminal, clock);
  return { code, ...ran };
}

/** Returns lines wider than a terminal of 80 columns. */
export function wideLines({ out, err }: Ran): string[] {
  return `${out}\n${err}`.split('\n').filter((text) => Array.from(text).length > 80);
}
