import { TollbookError } from '../domain/errors.ts';
import type { CommandLine } from './cli.ts';
import { readSecret, readVariable } from './provider-key.ts';

interface Options {
  readonly keyStdin?: boolean;
  readonly keyEnv?: string;
}

/** Never as an argument: those are seen by everybody on the machine. */
export async function readAdminKey({ keyStdin, keyEnv }: Options, { terminal }: CommandLine): Promise<string> {
  if ((keyStdin === true) === (keyEnv !== undefined))
    throw new TollbookError('invalid', 'Give one of --key-stdin, --key-env NAME.');
  if (keyEnv !== undefined) return readVariable(keyEnv, terminal);
  return await readSecret('Paste the admin key and end with Ctrl-D:', terminal);
}
