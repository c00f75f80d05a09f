import type { Command } from 'commander';
import type { WorkspaceShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { readRetention, workspaceOptions } from './workspace-options.ts';
import type { WorkspaceOptions } from './workspace-options.ts';

export function workspacesUpdate(workspaces: Command, cli: CommandLine): void {
  workspaceOptions(subcommand(workspaces, 'update <id>', 'change a workspace'))
    .option('--name <name>', 'for people')
    .action((id: string, options: CommonOptions & WorkspaceOptions & { name?: string }) =>
      withContext(cli, options, async ({ client, print }) => {
        const path = `/api/manage/workspaces/${encodeURIComponent(id)}`;
        const changed = await client.send<WorkspaceShape>('PATCH', path, {
          name: options.name,
          timeZone: options.timeZone,
          retentionDays: readRetention(options),
        });
        const note = options.timeZone === undefined ? '' : ZONE_NOTE;
        print(
          changed,
          (it) => `${it.id} "${it.name}": ${it.timeZone}, entries are kept ${it.retentionDays} days.${note}`,
        );
      }),
    );
}

/** So that no change of the zone begins a window anew. */
const ZONE_NOTE = `
Limits that are there go by a new time zone from their next window on: the day,
week or month under way ends as it began. Limits made from now on go by it at
once.`;
