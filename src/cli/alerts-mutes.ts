import type { Command } from 'commander';
import type { MuteShape } from '../contract/anomalies.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { scopeText } from './describe-mute.ts';
import { tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';

export function alertsMutes(alerts: Command, cli: CommandLine): void {
  subcommand(alerts, 'mutes', 'list what nobody is told of').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.get<MuteShape[]>('/api/manage/mutes'), renderMutesAlert);
    }),
  );
}

function renderMutesAlert(mutes: readonly MuteShape[], { width }: TextLayout): string {
  if (mutes.length === 0) return 'Nothing is muted. Mute something with: tollbook alerts mute --reason TEXT';
  return tableWithNotes(
    ['ID', 'TYPE', 'UNTIL UTC'],
    mutes.map(({ id, type, until, scope, reason }) => ({
      cells: [id, type ?? 'all', until === null ? 'removed' : until.slice(0, 16).replace('T', ' ')],
      notes: () => [...textLines(scopeText(scope)), ...textLines(reason)],
    })),
    width,
  );
}
