import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';

/** Asks the real command line for the help of a command, e.g. `['keys', 'create']`, and fails when there is none. */
export function helpOf(command: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['src/main.ts', ...command, '--help']);
  const text = stdout.toString();
  // A group answers the help of an unknown command inside it with its own: the first line tells.
  const named = text.split('\n')[0]?.startsWith(`Usage: tollbook ${command.join(' ')}`) ?? false;
  expect({ command, status, named, errors: stderr.toString() }).toEqual({
    command,
    status: 0,
    named: true,
    errors: '',
  });
  return text;
}

/** Fails unless the command exists and knows every `--flag` of the words; returns the command's own words. */
export function checkCommand(words: readonly string[]): void {
  const firstArgument = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const command = firstArgument < 0 ? words : words.slice(0, firstArgument);
  const help = helpOf(command);
  const flags = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? word);
  const unknown = flags.filter((flag) => !new RegExp(`${flag}\\b`).test(help));
  expect({ words, unknown }).toEqual({ words, unknown: [] });
}
