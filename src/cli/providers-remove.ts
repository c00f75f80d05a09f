import type { Command } from 'commander';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function providersRemove(providers: Command, cli: CommandLine): void {
  subcommand(providers, 'remove <id>', 'remove a provider that you added').action(
    (id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const path = `/api/manage/providers/${encodeURIComponent(id)}`;
        print(await client.send('DELETE', path), () => `Provider ${id} is removed.`);
      }),
  );
}
