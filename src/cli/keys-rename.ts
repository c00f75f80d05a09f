import type { Command } from 'commander';
import type { WrappedKeyShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { keyPath } from './key-id.ts';

export function keysRename(keys: Command, cli: CommandLine): void {
  subcommand(keys, 'rename <key> <name>', 'rename a wrapped key').action(
    (id: string, name: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const key = await client.send<WrappedKeyShape>('PATCH', await keyPath(client, 'keys', id), { name });
        print(key, () => `${key.id} is now called "${key.name}".`);
      }),
  );
}
