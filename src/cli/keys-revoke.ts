import type { Command } from 'commander';
import type { WrappedKeyShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { keyPath } from './key-id.ts';

export function keysRevoke(keys: Command, cli: CommandLine): void {
  subcommand(keys, 'revoke <key>', 'revoke a wrapped key for ever').action((id: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const key = await client.send<WrappedKeyShape>('DELETE', await keyPath(client, 'keys', id));
      print(key, () => `${key.id} "${key.name}" is revoked.`);
    }),
  );
}
