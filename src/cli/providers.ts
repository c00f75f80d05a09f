import type { Command } from 'commander';
import type { ProviderShape } from '../contract/providers.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { table } from './table.ts';

interface AddProviderOptions extends CommonOptions {
  readonly name?: string;
  readonly priceProvider?: string;
}

export function providersAdd(providers: Command, cli: CliEnvironment): void {
  subcommand(
    providers,
    'add <id> <url>',
    'add an OpenAI-compatible provider, for example ollama http://localhost:11434/v1',
  )
    .option('--name <name>', 'for people (default: the id)')
    .option('--price-provider <id>', 'provider whose list prices apply (default: only custom prices)')
    .action((id: string, url: string, options: AddProviderOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const added = await client.call('POST /api/manage/providers', {
          body: { id, url, name: options.name ?? id, priceProvider: options.priceProvider ?? null },
        });
        print(added, ({ proxyUrl }) => `Provider ${id} added: ${proxyUrl}`);
      }),
    );
}

export function providersList(providers: Command, cli: CliEnvironment): void {
  subcommand(providers, 'list', 'list providers and their base URLs for clients').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, config, print }) => {
      print(await client.call('GET /api/manage/providers'), (all, paper) =>
        renderProviders(all, config.baseUrl, paper),
      );
    }),
  );
}

function renderProviders(providers: readonly ProviderShape[], baseUrl: string, { width }: TextLayout): string {
  const rows = providers.map(({ id, name, url, custom }) => [id, name, url, custom ? 'you' : '']);
  return `${table(['ID', 'NAME', 'URL', 'ADDED BY'], rows, width)}\n\nBase URL for clients: ${baseUrl}/api/proxy/ID`;
}

export function providersRemove(providers: Command, cli: CliEnvironment): void {
  subcommand(providers, 'remove <id>', 'remove a provider that you added').action(
    (id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const removed = await client.call('DELETE /api/manage/providers/{id}', { params: { id } });
        print(removed, () => `Provider ${id} removed.`);
      }),
  );
}
