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
  readonly env: Readonly<Record<string, string>>;
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
export async function runLine(
  line: string,
  { env, clock = systemClock, stdin = '', typed, columns = 80, onOut }: LineOptions,
): Promise<Ran> {
  const ran = { out: '', err: '' };
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
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
