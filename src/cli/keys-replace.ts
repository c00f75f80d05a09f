import type { Command } from 'commander';
import type { ReplacedKey } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { keyPath } from './key-id.ts';
import { readProviderKey } from './provider-key.ts';

interface ReplaceKeyOptions extends CommonOptions {
  readonly providerKeyStdin?: boolean;
  readonly providerKeyEnv?: string;
  readonly force?: boolean;
}

export function keysReplace(keys: Command, cli: CommandLine): void {
  subcommand(keys, 'replace <key>', 'replace the provider key behind a wrapped key and all that share it')
    .option('--provider-key-stdin', 'read the provider key from standard input')
    .option('--provider-key-env <name>', 'read the provider key from this environment variable')
    .option('--force', 'keep the provider key even if the provider refuses it')
    .action(async (id: string, options: ReplaceKeyOptions) => {
      const providerKey = await readProviderKey(options, cli.terminal);
      await withContext(cli, options, async ({ client, terminal, print }) => {
        const path = `${await keyPath(client, 'keys', id)}/provider-key`;
        const force = options.force ?? false;
        const { warnings = [], changed } = await client.send<ReplacedKey>('POST', path, { providerKey, force });
        for (const warning of warnings) terminal.err(`Warning: ${warning}\n`);
        print(changed, () => `Changed: ${changed.map(({ id: one, name }) => `${one} "${name}"`).join(', ')}.`);
      });
    });
}
