import type { Command } from 'commander';
import type { MemberShape } from '../contract/accounts.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { ROLES } from '../domain/identity/access.ts';
import { findMember } from './find-member.ts';

export function membersSetRole(members: Command, cli: CommandLine): void {
  subcommand(members, 'set-role', 'give a member another role')
    .argument('<user>', 'e-mail address or id')
    .argument('<role>', ROLES.join(', '))
    .action((named: string, role: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { userId } = await findMember(client, named);
        const path = `/api/manage/members/${encodeURIComponent(userId)}`;
        const changed = await client.send<MemberShape>('PATCH', path, { role });
        print(changed, (member) => `${member.name} <${member.email}> is ${member.role} now.`);
      }),
    );
}
