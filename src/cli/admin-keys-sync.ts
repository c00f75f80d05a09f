import type { Command } from 'commander';
import type { AskedSyncShape } from '../contract/admin-keys.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function adminKeysSync(adminKeys: Command, cli: CommandLine): void {
  subcommand(adminKeys, 'sync', 'read its reports now')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const path = `/api/manage/admin-keys/${encodeURIComponent(id)}/sync`;
        print(await client.send<AskedSyncShape>('POST', path), ({ runs }) =>
          runs
            ? 'Its reports are being read. How far: tollbook admin-keys list'
            : 'No service runs: its reports are read when one does (tollbook serve).',
        );
      }),
    );
}
