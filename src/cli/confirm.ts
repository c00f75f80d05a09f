import { createInterface } from 'node:readline/promises';
import { TollbookError } from '../domain/errors.ts';
import type { CommandTerminal } from './terminal.ts';

/** Asks the person at the terminal. Throws without a terminal. */
export async function confirm(
  { streams, inIsTerminal }: Pick<CommandTerminal, 'streams' | 'inIsTerminal'>,
  question: string,
): Promise<boolean> {
  if (!inIsTerminal) throw new TollbookError('invalid', 'No terminal to confirm the change: use --yes.');
  const lines = createInterface({ input: streams.input, output: streams.output });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
