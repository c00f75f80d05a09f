import type { Command } from 'commander';
import type { MuteShape } from '../contract/anomalies.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeMute } from './describe-mute.ts';

export function alertsUnmute(alerts: Command, cli: CommandLine): void {
  subcommand(alerts, 'unmute <id>', 'be told of it again').action((id: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const removed = await client.send<MuteShape>('DELETE', `/api/manage/mutes/${encodeURIComponent(id)}`);
      print(removed, (mute) => `No longer muted: ${describeMute(mute)}`);
    }),
  );
}
