import type { Command } from 'commander';
import type { WorkspaceShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

export function workspacesList(workspaces: Command, cli: CommandLine): void {
  subcommand(workspaces, 'list', 'list workspaces').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.get<WorkspaceShape[]>('/api/manage/workspaces'), (all, { width }) =>
        table(
          ['ID', 'NAME', 'TIME ZONE', 'KEEPS'],
          all.map(({ id, name, timeZone, retentionDays }) => [id, name, timeZone, `${retentionDays} days`]),
          width,
        ),
      );
    }),
  );
}
