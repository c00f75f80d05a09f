import type { Command } from 'commander';
import type { CreatedInvitation, InvitationShape } from '../contract/accounts.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { type MemberRole, ROLES } from '../domain/identity/access.ts';
import { table } from './table.ts';
import { formatDate } from '../domain/text/dates.ts';

interface CreateInvitationOptions extends CommonOptions {
  readonly role: string;
  readonly email?: string;
  readonly days?: string;
  readonly mail: boolean;
}

export function invitationsCreate(invitations: Command, cli: CliEnvironment): void {
  subcommand(invitations, 'create', 'create an invitation link, and mail it if a mail server is set up; it works once')
    .option('--role <role>', ROLES.join(', '), 'viewer')
    .option('--email <address>', 'the only person who may use it (default: anyone with the link)')
    .option('--days <days>', 'days until it expires (default: 7)')
    .option('--no-mail', 'only print the link')
    .action((options: CreateInvitationOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { role, email, days, mail } = options;
        const body = {
          role: role as MemberRole,
          email: email ?? null,
          mail,
          ...(days !== undefined && { days: Number(days) }),
        };
        print(await client.call('POST /api/manage/invitations', { body }), renderCreated);
      }),
    );
}

function renderCreated(made: CreatedInvitation, { timeZone }: TextLayout): string {
  const { role, email, expiresAt, link, mailed, mailError } = made;
  const until = formatDate(expiresAt, timeZone);
  const mail = mailed ? `Mailed to ${email}. ` : mailError === null ? '' : `Not mailed. ${mailError} `;
  return `${mail}Invitation for ${email ?? 'the first person who opens it'} as ${role}, valid until ${until}:\n\n  ${link}`;
}

export function invitationsList(invitations: Command, cli: CliEnvironment): void {
  subcommand(invitations, 'list', 'list invitations')
    .option('--all', 'include used and expired ones')
    .action((options: CommonOptions & { all?: boolean }) =>
      withContext(cli, options, async ({ client, print }) => {
        const all = await client.call('GET /api/manage/invitations');
        print(
          all.filter(({ state }) => options.all || state === 'open'),
          renderInvitations,
        );
      }),
    );
}

function renderInvitations(invitations: readonly InvitationShape[], { width, timeZone }: TextLayout): string {
  if (invitations.length === 0) return 'No invitations. To create one: tollbook invitations create --role viewer';
  return table(
    ['ID', 'ROLE', 'STATE', 'UNTIL', 'FOR'],
    invitations.map(({ id, role, state, expiresAt, email }) => [
      id,
      role,
      state,
      formatDate(expiresAt, timeZone),
      email ?? '',
    ]),
    width,
  );
}

export function invitationsRevoke(invitations: Command, cli: CliEnvironment): void {
  subcommand(invitations, 'revoke', 'revoke an open invitation')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const invitation = await client.call('DELETE /api/manage/invitations/{id}', { params: { id } });
        print(invitation, (revoked) => `${revoked.id} revoked.`);
      }),
    );
}
