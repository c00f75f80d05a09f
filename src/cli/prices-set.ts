import type { Command } from 'commander';
import type { UserPriceShape } from '../contract/usage.ts';
import { TollbookError } from '../domain/errors.ts';
import { collect, subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

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
