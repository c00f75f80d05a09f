import type { Command } from 'commander';
import type { AccessTokenShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeState } from './secret-state.ts';
import { table } from './table.ts';

export function tokensList(tokens: Command, cli: CommandLine): void {
  subcommand(tokens, 'list', 'list access tokens')
    .option('--all', 'revoked ones too')
    .action((options: CommonOptions & { all?: boolean }) =>
      withContext(cli, options, async ({ client, print }) => {
        const all = await client.get<AccessTokenShape[]>('/api/manage/tokens');
        print(
          all.filter(({ revokedAt }) => options.all || revokedAt === null),
          renderTokens,
        );
      }),
    );
}

function renderTokens(tokens: readonly AccessTokenShape[], { width }: TextLayout): string {
  if (tokens.length === 0) return 'There is no access token yet. Make one with: tollbook tokens create --name reader';
  return table(
    ['ID', 'NAME', 'STATE', 'SCOPES'],
    tokens.flatMap((token) => {
      // One to a line: together they are too wide.
      const [first = '', ...more] = describeScopes(token);
      return [[token.id, token.name, describeState(token), first], ...more.map((scope) => ['', '', '', scope])];
    }),
    width,
  );
}

/** `admin` includes the others. */
function describeScopes({ scopes }: AccessTokenShape): readonly string[] {
  return scopes.includes('admin') ? ['admin'] : scopes;
}
