import type { Command } from 'commander';
import type { UserShape } from '../contract/accounts.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

export function usersList(users: Command, cli: CommandLine): void {
  subcommand(users, 'list', 'list everybody who has an account').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.get<UserShape[]>('/api/manage/users'), renderUsers);
    }),
  );
}

function renderUsers(users: readonly UserShape[], { width }: TextLayout): string {
  if (users.length === 0) return 'Nobody has an account yet. Make the first owner with: tollbook claim';
  return table(
    ['NAME', 'E-MAIL', 'WORKSPACE', 'ROLE'],
    users.flatMap(({ name, email, workspaces }) => {
      const [first = { id: 'none', role: '' }, ...more] = workspaces;
      return [[name, email, first.id, first.role], ...more.map(({ id, role }) => ['', '', id, role])];
    }),
    width,
  );
}
