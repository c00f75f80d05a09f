import type { Command } from 'commander';
import type { PasswordReset, UserShape } from '../contract/accounts.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { table } from './table.ts';
import { readSecret } from './keys.ts';

export function usersList(users: Command, cli: CliEnvironment): void {
  subcommand(users, 'list', 'list user accounts').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.call('GET /api/manage/users'), renderUsers);
    }),
  );
}

function renderUsers(users: readonly UserShape[], { width }: TextLayout): string {
  if (users.length === 0) return 'No accounts yet. To create the owner account: tollbook claim';
  return table(
    ['NAME', 'EMAIL', 'WORKSPACE', 'ROLE'],
    users.flatMap(({ name, email, workspaces }) => {
      const [first = { id: 'none', role: '' }, ...more] = workspaces;
      return [[name, email, first.id, first.role], ...more.map(({ id, role }) => ['', '', id, role])];
    }),
    width,
  );
}

export function usersResetPassword(users: Command, cli: CliEnvironment): void {
  subcommand(users, 'reset-password', 'set a new password for a user (default: a generated one)')
    .argument('<user>', 'email or id')
    .option('--stdin', 'read it from standard input')
    .action((named: string, options: CommonOptions & { stdin?: boolean }) =>
      withContext(cli, options, async ({ client, terminal, print }) => {
        const password = options.stdin ? await readSecret('Type the password and end with Ctrl-D:', terminal) : null;
        const request = { params: { user: named }, body: { password } };
        print(await client.call('POST /api/manage/users/{user}/password', request), renderResetPasswordUser);
      }),
    );
}

function renderResetPasswordUser({ name, email, password }: PasswordReset): string {
  const message = `${name} <${email}> is signed out everywhere.`;
  return password === null ? message : `${message}\nCopy the new password now; it is not shown again:\n\n  ${password}`;
}

export function usersRemove(users: Command, cli: CliEnvironment): void {
  subcommand(users, 'remove', 'remove a user from all workspaces')
    .argument('<user>', 'email or id')
    .action((named: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const removed = await client.call('DELETE /api/manage/users/{user}', { params: { user: named } });
        print(removed, ({ name, email }) => `${name} <${email}> removed. The access tokens of this user are revoked.`);
      }),
    );
}
