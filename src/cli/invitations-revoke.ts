import type { Command } from 'commander';
import type { InvitationShape } from '../contract/accounts.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function invitationsRevoke(invitations: Command, cli: CommandLine): void {
  subcommand(invitations, 'revoke', 'revoke an invitation that nobody accepted')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const path = `/api/manage/invitations/${encodeURIComponent(id)}`;
        print(await client.send<InvitationShape>('DELETE', path), (revoked) => `${revoked.id} is revoked.`);
      }),
    );
}
