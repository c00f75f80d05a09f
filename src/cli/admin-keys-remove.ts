import type { Command } from 'commander';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function adminKeysRemove(adminKeys: Command, cli: Cli): void {
  subcommand(adminKeys, 'remove', 'erase an admin key and all that was read with it; pause keeps that')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withSession(cli, options, async ({ client, print }) => {
        const path = `/api/manage/admin-keys/${encodeURIComponent(id)}`;
        print(await client.send<{ removed: string }>('DELETE', path), ({ removed }) => `Admin key ${removed} is gone.`);
      }),
    );
}
