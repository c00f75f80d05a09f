import type { Command } from 'commander';
import type { ProviderShape } from '../api/contract.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

export function providersList(providers: Command, cli: Cli): void {
  subcommand(providers, 'list', 'list providers and the base addresses for clients').action((options: CommonOptions) =>
    withSession(cli, options, async ({ client, print }) => {
      print(await client.get<ProviderShape[]>('/api/manage/providers'), (all) =>
        table(
          ['ID', 'NAME', 'BASE ADDRESS', 'REACHES'],
          all.map(({ id, name, proxyUrl, url }) => [id, name, proxyUrl, url]),
        ),
      );
    }),
  );
}
