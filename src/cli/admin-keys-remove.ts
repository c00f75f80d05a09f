import type { Command } from 'commander';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function adminKeysRemove(adminKeys: Command, cli: CommandLine): void {
  subcommand(adminKeys, 'remove', 'erase an admin key and all that was read with it; pause keeps that')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const path = `/api/manage/admin-keys/${encodeURIComponent(id)}`;
        print(await client.send<{ removed: string }>('DELETE', path), ({ removed }) => `Admin key ${removed} is gone.`);
      }),
    );
}
