import type { Command } from 'commander';
import type { AdminKeyShape } from '../contract/admin-keys.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeAdminKey } from './describe-admin-key.ts';

export function adminKeysPause(adminKeys: Command, cli: CommandLine): void {
  toggle(adminKeys, cli, 'pause', 'read nothing with it for now; what was read stays', true);
}

export function adminKeysResume(adminKeys: Command, cli: CommandLine): void {
  toggle(adminKeys, cli, 'resume', 'go on reading where it was', false);
}

function toggle(adminKeys: Command, cli: CommandLine, name: string, description: string, paused: boolean): void {
  subcommand(adminKeys, name, description)
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const path = `/api/manage/admin-keys/${encodeURIComponent(id)}`;
        print(await client.send<AdminKeyShape>('PATCH', path, { paused }), describeAdminKey);
      }),
    );
}
