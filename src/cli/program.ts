import { Command, CommanderError } from 'commander';
import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import { type ErrorType, TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { hideSecrets } from '../lib/crypto/hide-secrets.ts';
import { VERSION } from '../version.ts';
import type { CliEnvironment } from './cli.ts';
import { topics } from './commands.ts';
import type { CommandTerminal } from './terminal.ts';

const FAILED = 1;
const USED_WRONGLY = 2;
/** Taken at any place of the line, so that no command needs to declare it. */
const NO_COLOR = '--no-color';

/** Runs one command line (without node and script). Returns the exit code: 0, 1 failed, 2 used wrongly. */
export async function runProgram(args: readonly string[], terminal: CommandTerminal, clock: Clock): Promise<number> {
  const program = new Command('tollbook')
    .description('The self-hosted gateway and ledger for AI spend.')
    .version(VERSION)
    .option(NO_COLOR, 'print without colors, in any command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
    });
  const words = args.filter((word) => word !== NO_COLOR);
  const cli: CliEnvironment = {
    config: (): Config => readConfig(terminal.env),
    terminal,
    clock,
    noColor: words.length < args.length,
  };
  try {
    await addCommands(program, words, cli);
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    return printError(error, terminal);
  }
}

/** Only the command that the line names, where it names one: help and slips of the pen need all of them. */
async function addCommands(
  program: Command,
  [first = '', second = '']: readonly string[],
  cli: CliEnvironment,
): Promise<void> {
  const named = topics.find(({ name, commands }) => (name === null ? Object.hasOwn(commands, first) : name === first));
  for (const { name, description, commands } of named ? [named] : topics) {
    const parent = name === null ? program : program.command(name).description(description);
    const all = Object.entries(commands);
    const only = all.filter(([command]) => named && command === (name === null ? first : second));
    const loaded = await Promise.all((only.length > 0 ? only : all).map(([, load]) => load()));
    for (const add of loaded) add(parent, cli);
  }
}

/** Advice for errors that a command's option solves. */
const REMEDIES: Partial<Record<ErrorType, string>> = { provider_key_refused: 'Use --force to keep it.' };

/** The API's sentence, with the ends of a period as the command line calls them. */
function inOptions({ type, message }: TollbookError): string {
  const sentence = message.replaceAll(/\bstartDate\b/g, '--from').replaceAll(/\bendDate\b/g, '--to');
  const remedy = REMEDIES[type];
  return remedy === undefined ? sentence : `${sentence} ${remedy}`;
}

function printError(error: unknown, terminal: CommandTerminal): number {
  // The library has said what is wrong; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USED_WRONGLY;
  // Prints unexpected errors in full, because the operator reads them.
  const message =
    error instanceof TollbookError ? inOptions(error) : error instanceof Error ? error.stack : String(error);
  terminal.err(`tollbook: ${hideSecrets(message ?? '')}\n`);
  return FAILED;
}
