import type { Command } from 'commander';
import type { LimitShape } from '../contract/limits.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function limitsRemove(limits: Command, cli: CommandLine): void {
  subcommand(limits, 'remove <id>', 'remove a limit').action((id: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const removed = await client.send<LimitShape>('DELETE', `/api/manage/limits/${encodeURIComponent(id)}`);
      print(removed, () => `Limit ${removed.id} is removed.`);
    }),
  );
}
