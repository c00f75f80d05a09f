import type { Command } from 'commander';
import type { ProviderShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

interface AddProviderOptions extends CommonOptions {
  readonly name?: string;
  readonly priceProvider?: string;
}

export function providersAdd(providers: Command, cli: CommandLine): void {
  subcommand(
    providers,
    'add <id> <url>',
    'add an OpenAI-compatible provider, for instance ollama http://localhost:11434/v1',
  )
    .option('--name <name>', 'for people (default: the id)')
    .option('--price-provider <id>', 'whose list prices apply (default: only your own)')
    .action((id: string, url: string, options: AddProviderOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const added = await client.send<ProviderShape>('POST', '/api/manage/providers', {
          id,
          url,
          name: options.name ?? id,
          priceProvider: options.priceProvider ?? null,
        });
        print(added, ({ proxyUrl }) => `Provider ${id} is served at ${proxyUrl}`);
      }),
    );
}
