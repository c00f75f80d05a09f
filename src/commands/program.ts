import { Command, CommanderError } from 'commander';
import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import { TollbookError } from '../core/errors.ts';
import { hideSecrets } from '../lib/log.ts';
import { VERSION } from '../version.ts';
import { topics } from './commands.ts';
import type { Terminal } from './terminal.ts';

const FAILED = 1;
const USED_WRONGLY = 2;

/** Runs one command line (without node and script). Returns the exit code: 0, 1 failed, 2 used wrongly. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('tollbook')
    .description('A gate and a book for generative-AI spend.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
    });
  const cli = { config: (): Config => readConfig(terminal.env), terminal };
  for (const { name, description, commands } of topics) {
    const parent = name === null ? program : program.command(name).description(description);
    for (const add of commands) add(parent, cli);
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    return tell(error, terminal);
  }
}

function tell(error: unknown, terminal: Terminal): number {
  // The library has said what is wrong; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USED_WRONGLY;
  // Anything we didn't foresee is told in full: the one who reads it is the operator.
  const message = error instanceof TollbookError ? error.message : error instanceof Error ? error.stack : String(error);
  terminal.err(`tollbook: ${hideSecrets(message ?? '')}\n`);
  return FAILED;
}
