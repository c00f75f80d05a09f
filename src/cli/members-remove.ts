import type { Command } from 'commander';
import type { MemberShape } from '../contract/accounts.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { findMember } from './find-member.ts';

export function membersRemove(members: Command, cli: CommandLine): void {
  subcommand(members, 'remove', 'remove a member from a workspace')
    .argument('<user>', 'e-mail address or id')
    .action((named: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { userId } = await findMember(client, named);
        const path = `/api/manage/members/${encodeURIComponent(userId)}`;
        const removed = await client.send<MemberShape>('DELETE', path);
        print(removed, ({ name, email }) => `${name} <${email}> is out, and so are the access tokens they made.`);
      }),
    );
}
