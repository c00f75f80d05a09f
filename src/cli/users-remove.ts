import type { Command } from 'commander';
import type { UserShape } from '../contract/accounts.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function usersRemove(users: Command, cli: CommandLine): void {
  subcommand(users, 'remove', 'remove a user from all workspaces')
    .argument('<user>', 'e-mail address or id')
    .action((named: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const removed = await client.send<UserShape>('DELETE', `/api/manage/users/${encodeURIComponent(named)}`);
        print(removed, ({ name, email }) => `${name} <${email}> is gone, with the access tokens they made.`);
      }),
    );
}
