import { PassThrough, Readable } from 'node:stream';
import { expect } from 'vitest';
import { topics } from '../src/cli/commands.ts';
import { runProgram } from '../src/cli/program.ts';
import type { CommandTerminal } from '../src/cli/terminal.ts';

/** Fails unless the command exists and knows every `--flag` of the words, for instance `['keys', 'list', '--json']`. */
export async function checkCommand(words: readonly string[]): Promise<void> {
  const firstArgument = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  // What stands behind a command at the top are its arguments.
  const isTopic = topics.some(({ name }) => name === words[0]);
  const command = words.slice(0, Math.min(isTopic ? 2 : 1, firstArgument < 0 ? words.length : firstArgument));
  const help = await helpOf(command);
  const flags = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? word);
  const unknown = flags.filter((flag) => !new RegExp(`${flag}\\b`).test(help));
  expect({ words, unknown }).toEqual({ words, unknown: [] });
}

async function helpOf(command: readonly string[]): Promise<string> {
  let text = '';
  const hear = (piece: string): boolean => {
    text += piece;
    return true;
  };
  const terminal: CommandTerminal = {
    out: hear,
    err: hear,
    outBytes: async () => undefined,
    readIn: async () => '',
    streams: { input: Readable.from([]), output: new PassThrough() },
    inIsTerminal: false,
    env: {},
  };
  const code = await runProgram([...command, '--help'], terminal, () => 0);
  // A group answers an unknown command with its own help: the first line tells whose it is.
  const named = text.startsWith(`Usage: ${['tollbook', ...command].join(' ')} `);
  expect({ command, code, named }).toEqual({ command, code: 0, named: true });
  return text;
}
