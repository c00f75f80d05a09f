import type { Command } from 'commander';
import type { CreatedInvitation } from '../contract/accounts.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { ROLES } from '../domain/identity/access.ts';

interface CreateInvitationOptions extends CommonOptions {
  readonly role: string;
  readonly email?: string;
  readonly days?: string;
}

export function invitationsCreate(invitations: Command, cli: CommandLine): void {
  subcommand(invitations, 'create', 'make a link that makes a member, once')
    .option('--role <role>', ROLES.join(', '), 'viewer')
    .option('--email <address>', 'who alone may use it (default: whoever has it)')
    .option('--days <days>', 'how long it can be used (default: 7)')
    .action((options: CreateInvitationOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { role, email, days } = options;
        const body = { role, email: email ?? null, ...(days !== undefined && { days: Number(days) }) };
        print(await client.send<CreatedInvitation>('POST', '/api/manage/invitations', body), renderCreateInvitation);
      }),
    );
}

function renderCreateInvitation({ role, email, expiresAt, link }: CreatedInvitation): string {
  return `This link makes ${email ?? 'whoever opens it first'} ${role}, until ${expiresAt.slice(0, 10)}:\n\n  ${link}`;
}
