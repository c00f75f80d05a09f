import type { Command } from 'commander';
import type { MemberShape } from '../contract/accounts.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

export function membersList(members: Command, cli: CommandLine): void {
  subcommand(members, 'list', 'list the members of a workspace').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.get<MemberShape[]>('/api/manage/members'), renderMembers);
    }),
  );
}

function renderMembers(members: readonly MemberShape[], { width }: TextLayout): string {
  if (members.length === 0) return 'There is no member yet. Make a link with: tollbook invitations create --role admin';
  return table(
    ['ROLE', 'NAME', 'E-MAIL', 'SINCE'],
    members.map(({ role, name, email, since }) => [role, name, email, since.slice(0, 10)]),
    width,
  );
}
