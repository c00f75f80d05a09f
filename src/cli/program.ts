import { Command, CommanderError } from 'commander';
import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import type { ErrorShape } from '../contract/errors.ts';
import { type ErrorType, TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { hideSecrets } from '../lib/crypto/hide-secrets.ts';
import { VERSION } from '../version.ts';
import type { CliEnvironment } from './cli.ts';
import { topics } from './commands.ts';
import { nameOptions } from './option-names.ts';
import type { CommandTerminal } from './terminal.ts';

const FAILED = 1;
const USED_WRONGLY = 2;
/** Taken at any place of the line, so that no command needs to declare it. */
const NO_COLOR = '--no-color';

/** Runs one command line (without node and script). Returns the exit code: 0, 1 failed, 2 used wrongly. */
export async function runProgram(args: readonly string[], terminal: CommandTerminal, clock: Clock): Promise<number> {
  const asksJson = args.includes('--json');
  const program = new Command('tollbook')
    .description('The self-hosted gateway and ledger for AI spend.')
    .version(VERSION)
    .option(NO_COLOR, 'print without colors, in any command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      // With --json, an error of the library is printed like all others.
      writeErr: (text) => (asksJson && text.startsWith('error: ') ? undefined : terminal.err(text)),
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
    return printError(error, terminal, args, asksJson);
  }
}

/** Only the command that the line names, where it names one: help and slips of the pen need all of them. */
async function addCommands(
  program: Command,
  [first = '', second = '', ...rest]: readonly string[],
  cli: CliEnvironment,
): Promise<void> {
  const named = topics.find(({ name, commands }) => (name === null ? Object.hasOwn(commands, first) : name === first));
  for (const { name, description, commands } of named ? [named] : topics) {
    const parent = name === null ? program : program.command(name).description(description);
    const all = Object.entries(commands);
    const only = all.filter(([command]) => named && command === (name === null ? first : second));
    const loaded = await Promise.all((only.length > 0 ? only : all).map(([, load]) => load()));
    for (const add of loaded) add(parent, cli);
    for (const command of only.length > 0 ? parent.commands : []) nameUnknownOptionFirst(command, [second, ...rest]);
  }
  // The shell asks for completions of any command.
  if (!named) (await import('./completion.ts')).addCompletion(program);
}

/** Returns the index of `--`, after which no word is an option. */
function endOfOptions(words: readonly string[]): number {
  const at = words.indexOf('--');
  return at < 0 ? words.length : at;
}

/** Lets a misspelled option be named before the required one that it should have been. */
function nameUnknownOptionFirst({ options }: Command, words: readonly string[]): void {
  const find = (word: string) => options.find(({ long, short }) => [long, short].includes(word.split('=')[0]));
  const isValue = (before = ''): boolean => !before.includes('=') && find(before)?.required === true;
  const isMisspelled = words
    .slice(0, endOfOptions(words))
    .some((word, at) => /^--\w/.test(word) && word !== '--help' && !find(word) && !isValue(words[at - 1]));
  if (isMisspelled) for (const option of options) option.mandatory = false;
}

/** Advice for errors that a command's option solves. */
const REMEDIES: Partial<Record<ErrorType, string>> = { provider_key_refused: 'Use --force to keep it.' };

/** Returns the API's sentence with the options that a person types in place of fields. */
function inOptions(error: TollbookError, args: readonly string[]): string {
  const sentence = nameOptions(error, args);
  const remedy = REMEDIES[error.type];
  return remedy === undefined ? sentence : `${sentence} ${remedy}`;
}

function printError(error: unknown, terminal: CommandTerminal, args: readonly string[], asksJson: boolean): number {
  // The library has said what is wrong; help and version are no errors.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    if (asksJson && error.message.startsWith('error: '))
      printJsonError({ error: error.message.slice('error: '.length).replaceAll('\n', ' '), type: 'invalid' }, terminal);
    return USED_WRONGLY;
  }
  // Prints unexpected errors in full, because the operator reads them.
  const message =
    error instanceof TollbookError ? inOptions(error, args) : error instanceof Error ? error.stack : String(error);
  const text = hideSecrets(message ?? '');
  if (asksJson) {
    const known = error instanceof TollbookError ? { type: error.type, param: error.param } : { type: 'internal' };
    printJsonError({ error: text, ...known }, terminal);
  } else terminal.err(`tollbook: ${text}\n`);
  return FAILED;
}

/** Prints an error in the shape of the API, on one line of standard error. */
function printJsonError(error: Omit<ErrorShape, 'requestId'>, terminal: CommandTerminal): void {
  terminal.err(`${JSON.stringify(error)}\n`);
}
