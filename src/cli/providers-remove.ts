import type { Command } from 'commander';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function providersRemove(providers: Command, cli: Cli): void {
  subcommand(providers, 'remove <id>', 'remove a provider that you added').action(
    (id: string, options: CommonOptions) =>
      withSession(cli, options, async ({ client, print }) => {
        const path = `/api/manage/providers/${encodeURIComponent(id)}`;
        print(await client.send('DELETE', path), () => `Provider ${id} is removed.`);
      }),
  );
}
