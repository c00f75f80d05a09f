import type { Command } from 'commander';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function pricesRefresh(prices: Command, cli: CommandLine): void {
  subcommand(prices, 'refresh', 'fetch price data from the address in SVC_PRICES_URL').action(
    (options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const refreshed = await client.send<{ source: string; cards: number }>('POST', '/api/manage/prices/refresh');
        print(refreshed, ({ source, cards }) => `${cards} prices came from ${source}.`);
      }),
  );
}
