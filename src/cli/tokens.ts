import type { Command } from 'commander';
import type { AccessTokenShape, CreatedToken } from '../contract/tokens.ts';
import { scopeAllows, TOKEN_SCOPES, type TokenScope } from '../domain/identity/access.ts';
import { collect, type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { describeState } from './secret-state.ts';
import { table } from './table.ts';
import { readDeadline } from './time-options.ts';

interface CreateTokenOptions extends CommonOptions {
  readonly name: string;
  readonly scope?: string[];
  readonly expires?: string;
}

export function tokensCreate(tokens: Command, cli: CliEnvironment): void {
  subcommand(tokens, 'create', 'create an access token; it is shown once')
    .requiredOption('--name <name>', 'name shown in lists')
    .option(
      '--scope <scope>',
      `${TOKEN_SCOPES.join(', ')}; repeatable (default: all except otlp:write and admin)`,
      collect,
    )
    .option('--expires <time>', 'expiry, for example 90d, 2027-01-31')
    .action((options: CreateTokenOptions) =>
      withContext(cli, options, async (context) => {
        const { client, config, print } = context;
        const { name, scope: scopes = [], expires } = options;
        const expiresAt = expires === undefined ? null : readDeadline(expires, '--expires', context);
        const created = await client.call('POST /api/manage/tokens', { body: { name, scopes, expiresAt } });
        print(created, (token) => renderCreateToken(token, config.baseUrl));
      }),
    );
}

/** First requests to try a token with, by scope. */
const FIRST_READS: readonly (readonly [TokenScope, string])[] = [
  ['usage:read', '/api/mcp/usage/summary'],
  ['alerts:read', '/api/mcp/alerts'],
  ['webhooks:write', '/api/mcp/webhooks'],
];

function renderCreateToken({ name, scopes, token }: CreatedToken, baseUrl: string): string {
  const path = FIRST_READS.find(([scope]) => scopeAllows(scopes, scope))?.[1];
  const use = path === undefined ? '' : `\n\ncurl\n  curl ${baseUrl}${path} \\\n  -H "authorization: Bearer ${token}"`;
  return `Access token "${name}". Copy it now; it is not shown again:

  ${token}

Scopes: ${scopes.join(', ')}${use}`;
}

export function tokensList(tokens: Command, cli: CliEnvironment): void {
  subcommand(tokens, 'list', 'list access tokens')
    .option('--all', 'include revoked ones')
    .action((options: CommonOptions & { all?: boolean }) =>
      withContext(cli, options, async ({ client, print }) => {
        const all = await client.call('GET /api/manage/tokens');
        print(
          all.filter(({ revokedAt }) => options.all || revokedAt === null),
          renderTokens,
        );
      }),
    );
}

function renderTokens(tokens: readonly AccessTokenShape[], { width, timeZone }: TextLayout): string {
  if (tokens.length === 0) return 'No access tokens yet. To create one: tollbook tokens create --name reader';
  return table(
    ['ID', 'NAME', 'STATE', 'SCOPES'],
    tokens.flatMap((token) => {
      // One to a line: together they are too wide.
      const [first = '', ...more] = describeScopes(token);
      return [
        [token.id, token.name, describeState(token, timeZone), first],
        ...more.map((scope) => ['', '', '', scope]),
      ];
    }),
    width,
  );
}

/** `admin` includes the others. */
function describeScopes({ scopes }: AccessTokenShape): readonly string[] {
  return scopes.includes('admin') ? ['admin'] : scopes;
}

export function tokensRevoke(tokens: Command, cli: CliEnvironment): void {
  subcommand(tokens, 'revoke <id>', 'revoke an access token permanently').action((id: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const token = await client.call('DELETE /api/manage/tokens/{id}', { params: { id } });
      print(token, () => `${token.id} "${token.name}" revoked.`);
    }),
  );
}
