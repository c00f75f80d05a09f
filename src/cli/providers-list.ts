import type { Command } from 'commander';
import type { ProviderShape } from '../contract/usage.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli, Paper } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

export function providersList(providers: Command, cli: Cli): void {
  subcommand(providers, 'list', 'list providers and the base addresses for clients').action((options: CommonOptions) =>
    withSession(cli, options, async ({ client, config, print }) => {
      print(await client.get<ProviderShape[]>('/api/manage/providers'), (all, paper) =>
        render(all, config.baseUrl, paper),
      );
    }),
  );
}

function render(providers: readonly ProviderShape[], baseUrl: string, { width }: Paper): string {
  const rows = providers.map(({ id, name, url, added }) => [id, name, url, added ? 'you' : '']);
  return `${table(['ID', 'NAME', 'REACHES', 'ADDED BY'], rows, width)}\n\nBase address for clients: ${baseUrl}/api/proxy/ID`;
}
