import type { Command } from 'commander';
import type { PasswordReset } from '../contract/accounts.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { readSecret } from './provider-key.ts';

export function usersResetPassword(users: Command, cli: CommandLine): void {
  subcommand(users, 'reset-password', 'give a user another password, made for you unless you bring one')
    .argument('<user>', 'e-mail address or id')
    .option('--stdin', 'read it from standard input')
    .action((named: string, options: CommonOptions & { stdin?: boolean }) =>
      withContext(cli, options, async ({ client, terminal, print }) => {
        const password = options.stdin ? await readSecret('Type the password and end with Ctrl-D:', terminal) : null;
        const path = `/api/manage/users/${encodeURIComponent(named)}/password`;
        print(await client.send<PasswordReset>('POST', path, { password }), renderResetPasswordUser);
      }),
    );
}

function renderResetPasswordUser({ name, email, password }: PasswordReset): string {
  const told = `${name} <${email}> is signed out everywhere.`;
  return password === null ? told : `${told}\nThe new password is shown only now:\n\n  ${password}`;
}
