import type { Command } from 'commander';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function pricesRemove(prices: Command, cli: CommandLine): void {
  subcommand(prices, 'remove <id>', "remove a price of the workspace's own").action(
    (id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const path = `/api/manage/prices/${encodeURIComponent(id)}`;
        print(
          await client.send('DELETE', path),
          () => `Price ${id} is removed; entries keep the price they were given.`,
        );
      }),
  );
}
