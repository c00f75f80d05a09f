import type { Command } from 'commander';
import type { PriceShape, UserPriceShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

interface ListPriceOptions extends CommonOptions {
  readonly provider?: string;
  readonly own?: boolean;
}

export function pricesList(prices: Command, cli: CommandLine): void {
  subcommand(prices, 'list', 'list the prices that hold now')
    .option('--provider <id>', 'of one provider')
    .option('--own', "the workspace's own, with their ids")
    .action((options: ListPriceOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        if (options.own) print(await client.get<UserPriceShape[]>('/api/manage/prices'), renderOwn);
        else print(await client.get<PriceShape[]>('/api/mcp/pricing', { provider: options.provider }), renderPrices);
      }),
    );
}

function renderPrices(prices: readonly PriceShape[], { width }: TextLayout): string {
  if (prices.length === 0)
    return 'There is no such price. Set one with: tollbook prices set PROVIDER MODEL --input 1 --output 2';
  const rows = prices.map((price) => [price.provider, price.model, ...rates(price), price.source]);
  return `${table(['PROVIDER', 'MODEL', 'INPUT', 'OUTPUT', 'SOURCE'], rows, width)}\n\nDollars per million tokens; --json shows everything.`;
}

function renderOwn(prices: readonly UserPriceShape[], { width }: TextLayout): string {
  if (prices.length === 0) return 'This workspace has no prices of its own.';
  return table(
    ['ID', 'PROVIDER', 'MODEL', 'INPUT', 'OUTPUT'],
    prices.map((price) => [price.id, price.provider, price.model, ...rates(price)]),
    width,
  );
}

function rates({ usdPerMillion }: PriceShape): string[] {
  return [usdPerMillion.input, usdPerMillion.output].map((usd) => (usd === undefined ? '-' : String(usd)));
}
