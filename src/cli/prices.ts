import type { Command } from 'commander';
import type { PriceShape, UserPriceShape } from '../contract/usage.ts';
import { collect, type CommandLine, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { table } from './table.ts';
import { TollbookError } from '../domain/errors.ts';

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

interface SetPriceOptions extends CommonOptions {
  readonly input?: string;
  readonly output?: string;
  readonly rate?: string[];
  readonly fee?: string[];
  readonly from?: string;
  readonly until?: string;
  readonly stdin?: boolean;
}

export function pricesSet(prices: Command, cli: CommandLine): void {
  subcommand(prices, 'set [provider] [model]', "set a price of the workspace's own; it wins over every list")
    .option('--input <usd>', 'dollars per million uncached input tokens')
    .option('--output <usd>', 'dollars per million output tokens')
    .option('--rate <class=usd>', 'of another token class, for instance cacheRead=0.3; may be repeated', collect)
    .option('--fee <use=usd>', 'per use, for instance webSearch=0.01; may be repeated', collect)
    .option('--from <date>', 'first day')
    .option('--until <date>', 'first day on which it holds no more')
    .option('--stdin', 'read the whole price as JSON from standard input')
    .action((provider: string | undefined, model: string | undefined, options: SetPriceOptions) =>
      withContext(cli, options, async ({ client, terminal, print }) => {
        const price = options.stdin ? parse(await terminal.readIn()) : { provider, model, ...readPrice(options) };
        print(
          await client.send<UserPriceShape>('POST', '/api/manage/prices', price),
          ({ id, model: name, version }) =>
            `Price ${id} of ${name} is set (${version}). Calls that had no price get it now.`,
        );
      }),
    );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TollbookError('invalid', 'Standard input is not JSON.');
  }
}

function readPrice({ input, output, rate = [], fee = [], from, until }: SetPriceOptions): object {
  const usdPerMillion = { ...(input && { input }), ...(output && { output }), ...pairs(rate, '--rate') };
  return { usdPerMillion, ...(fee.length > 0 && { fees: pairs(fee, '--fee') }), from, until };
}

function pairs(texts: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name, usd, ...rest] = text.split('=');
      if (!name || !usd || rest.length > 0)
        throw new TollbookError('invalid', `"${text}" is not what ${option} takes; write for instance name=0.5.`);
      return [name, usd];
    }),
  );
}

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

export function pricesRefresh(prices: Command, cli: CommandLine): void {
  subcommand(prices, 'refresh', 'fetch price data from the address in SVC_PRICES_URL').action(
    (options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const refreshed = await client.send<{ source: string; cards: number }>('POST', '/api/manage/prices/refresh');
        print(refreshed, ({ source, cards }) => `${cards} prices came from ${source}.`);
      }),
  );
}
