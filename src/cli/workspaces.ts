import type { Command } from 'commander';
import type { WorkspaceShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { readRetention, workspaceOptions } from './workspace-options.ts';
import type { WorkspaceOptions } from './workspace-options.ts';

export function workspacesCreate(workspaces: Command, cli: CommandLine): void {
  workspaceOptions(subcommand(workspaces, 'create <name>', 'make a workspace')).action(
    (name: string, options: CommonOptions & WorkspaceOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const created = await client.send<WorkspaceShape>('POST', '/api/manage/workspaces', {
          name,
          timeZone: options.timeZone,
          retentionDays: readRetention(options),
        });
        print(created, ({ id }) => `Workspace "${name}" is ${id}: name it with --workspace ${id}.`);
      }),
  );
}
