import type { Command } from 'commander';
import type { InvitationShape } from '../contract/accounts.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

export function invitationsList(invitations: Command, cli: CommandLine): void {
  subcommand(invitations, 'list', 'list invitations')
    .option('--all', 'those that are over, too')
    .action((options: CommonOptions & { all?: boolean }) =>
      withContext(cli, options, async ({ client, print }) => {
        const all = await client.get<InvitationShape[]>('/api/manage/invitations');
        print(
          all.filter(({ state }) => options.all || state === 'open'),
          renderInvitations,
        );
      }),
    );
}

function renderInvitations(invitations: readonly InvitationShape[], { width }: TextLayout): string {
  if (invitations.length === 0)
    return 'There is no invitation. Make one with: tollbook invitations create --role viewer';
  return table(
    ['ID', 'ROLE', 'STATE', 'UNTIL', 'FOR'],
    invitations.map(({ id, role, state, expiresAt, email }) => [id, role, state, expiresAt.slice(0, 10), email ?? '']),
    width,
  );
}
