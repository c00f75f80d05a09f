import type { Command } from 'commander';
import { type CliEnvironment, type CommonOptions, subcommand, withContext } from './cli.ts';
import { table } from './table.ts';

export interface WorkspaceOptions {
  readonly timeZone?: string;
  readonly retentionDays?: string;
}

export function workspaceOptions(command: Command): Command {
  return command
    .option('--time-zone <name>', 'IANA name, for example Europe/Berlin')
    .option('--retention-days <days>', 'days to keep calls; totals are kept forever');
}

/** Reads the retention in days. Returns NaN for anything else, which the API rejects with the name of the field. */
export function readRetention({ retentionDays }: WorkspaceOptions): number | undefined {
  return retentionDays === undefined ? undefined : Number(retentionDays);
}

export function workspacesCreate(workspaces: Command, cli: CliEnvironment): void {
  workspaceOptions(subcommand(workspaces, 'create <name>', 'create a workspace')).action(
    (name: string, options: CommonOptions & WorkspaceOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const created = await client.call('POST /api/manage/workspaces', {
          body: { name, timeZone: options.timeZone, retentionDays: readRetention(options) },
        });
        print(created, ({ id }) => `Workspace "${name}" created: ${id}. Use it with --workspace ${id}.`);
      }),
  );
}

export function workspacesList(workspaces: Command, cli: CliEnvironment): void {
  subcommand(workspaces, 'list', 'list workspaces').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.call('GET /api/manage/workspaces'), (all, { width }) =>
        table(
          ['ID', 'NAME', 'TIME ZONE', 'KEEPS'],
          all.map(({ id, name, timeZone, retentionDays }) => [id, name, timeZone, `${retentionDays} days`]),
          width,
        ),
      );
    }),
  );
}

export function workspacesUpdate(workspaces: Command, cli: CliEnvironment): void {
  workspaceOptions(subcommand(workspaces, 'update <id>', 'change a workspace'))
    .option('--name <name>', 'name shown in lists')
    .action((id: string, options: CommonOptions & WorkspaceOptions & { name?: string }) =>
      withContext(cli, options, async ({ client, print }) => {
        const changed = await client.call('PATCH /api/manage/workspaces/{id}', {
          params: { id },
          body: { name: options.name, timeZone: options.timeZone, retentionDays: readRetention(options) },
        });
        const note = options.timeZone === undefined ? '' : ZONE_NOTE;
        print(
          changed,
          (it) => `${it.id} "${it.name}": ${it.timeZone}, calls are kept for ${it.retentionDays} days.${note}`,
        );
      }),
    );
}

/** Note about windows after a change of the time zone. */
const ZONE_NOTE = `
Existing limits use the new time zone from their next window on. New limits use
it immediately.`;
