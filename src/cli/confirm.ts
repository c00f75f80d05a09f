import { createInterface } from 'node:readline';
import { TollbookError } from '../domain/errors.ts';
import type { CommandTerminal } from './terminal.ts';

/** Asks the person at the terminal, on standard error: standard output has the result. Throws without a terminal. */
export async function confirm(
  { streams, inIsTerminal, err }: Pick<CommandTerminal, 'streams' | 'inIsTerminal' | 'err'>,
  question: string,
): Promise<boolean> {
  if (!inIsTerminal) throw new TollbookError('invalid', 'No terminal to confirm the change: use --yes.');
  err(`${question} [y/N] `);
  for await (const line of createInterface({ input: streams.input })) return /^y(es)?$/i.test(line.trim());
  return false;
}
