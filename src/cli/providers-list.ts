import type { Command } from 'commander';
import type { ProviderShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

export function providersList(providers: Command, cli: CommandLine): void {
  subcommand(providers, 'list', 'list providers and the base addresses for clients').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, config, print }) => {
      print(await client.get<ProviderShape[]>('/api/manage/providers'), (all, paper) =>
        renderProviders(all, config.baseUrl, paper),
      );
    }),
  );
}

function renderProviders(providers: readonly ProviderShape[], baseUrl: string, { width }: TextLayout): string {
  const rows = providers.map(({ id, name, url, added }) => [id, name, url, added ? 'you' : '']);
  return `${table(['ID', 'NAME', 'REACHES', 'ADDED BY'], rows, width)}\n\nBase address for clients: ${baseUrl}/api/proxy/ID`;
}
