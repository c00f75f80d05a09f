import type { Command } from 'commander';
import type { MemberShape } from '../contract/accounts.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { table } from './table.ts';
import { type MemberRole, ROLES } from '../domain/identity/access.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Client } from './client.ts';
import { formatDate } from '../domain/text/dates.ts';

/** A member by id or e-mail address. */
export async function findMember(client: Client, named: string): Promise<MemberShape> {
  const members = await client.call('GET /api/manage/members');
  const found = members.find(({ userId, email }) => userId === named || email === named.trim().toLowerCase());
  if (found) return found;
  throw new TollbookError(
    'not_found',
    `No member "${named}" in this workspace. To list members: tollbook members list`,
  );
}

export function membersList(members: Command, cli: CliEnvironment): void {
  subcommand(members, 'list', 'list the members of a workspace').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.call('GET /api/manage/members'), renderMembers);
    }),
  );
}

function renderMembers(members: readonly MemberShape[], { width, timeZone }: TextLayout): string {
  if (members.length === 0) return 'No members yet. To invite one: tollbook invitations create --role admin';
  return table(
    ['ROLE', 'NAME', 'EMAIL', 'SINCE'],
    members.map(({ role, name, email, since }) => [role, name, email, formatDate(since, timeZone)]),
    width,
  );
}

export function membersSetRole(members: Command, cli: CliEnvironment): void {
  subcommand(members, 'set-role', 'change the role of a member')
    .argument('<user>', 'email or id')
    .argument('<role>', ROLES.join(', '))
    .action((named: string, role: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { userId } = await findMember(client, named);
        const request = { params: { userId }, body: { role: role as MemberRole } };
        const changed = await client.call('PATCH /api/manage/members/{userId}', request);
        print(changed, (member) => `${member.name} <${member.email}> now has the role ${member.role}.`);
      }),
    );
}

export function membersRemove(members: Command, cli: CliEnvironment): void {
  subcommand(members, 'remove', 'remove a member from a workspace')
    .argument('<user>', 'email or id')
    .action((named: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { userId } = await findMember(client, named);
        const removed = await client.call('DELETE /api/manage/members/{userId}', { params: { userId } });
        print(
          removed,
          ({ name, email }) => `${name} <${email}> removed. The access tokens of this member are revoked.`,
        );
      }),
    );
}
