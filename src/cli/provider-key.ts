import { TollbookError } from '../domain/errors.ts';
import type { CommandTerminal } from './terminal.ts';

export interface ProviderKeyOptions {
  readonly providerKeyStdin?: boolean;
  readonly providerKeyEnv?: string;
  readonly providerKeyOf?: string;
}

/** A secret never comes as an argument: those are seen by everybody on the machine and kept in histories. */
export async function readProviderKey(
  options: ProviderKeyOptions,
  terminal: CommandTerminal,
): Promise<string | undefined> {
  const ways = [options.providerKeyStdin, options.providerKeyEnv, options.providerKeyOf].filter(Boolean);
  if (ways.length !== 1)
    throw new TollbookError(
      'invalid',
      'Give one of --provider-key-stdin, --provider-key-env NAME, --provider-key-of ID.',
    );
  if (options.providerKeyOf !== undefined) return undefined;
  if (options.providerKeyEnv !== undefined) return readVariable(options.providerKeyEnv, terminal);
  return readSecret('Paste the provider key and end with Ctrl-D:', terminal);
}

export async function readSecret(prompt: string, terminal: CommandTerminal): Promise<string> {
  if (terminal.inIsTerminal) terminal.err(`${prompt}\n`);
  const secret = (await terminal.readIn()).trim();
  if (secret === '') throw new TollbookError('invalid', 'Standard input is empty; the secret is read from there.');
  return secret;
}

export function readVariable(name: string, terminal: CommandTerminal): string {
  const value = terminal.env[name]?.trim();
  if (!value) throw new TollbookError('invalid', `The environment has no ${name}.`);
  return value;
}
