import type { Command } from 'commander';
import type { CreatedToken } from '../contract/usage.ts';
import { scopeAllows, type TokenScope, TOKEN_SCOPES } from '../domain/identity/access.ts';
import { collect, subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

interface CreateTokenOptions extends CommonOptions {
  readonly name: string;
  readonly scope?: string[];
  readonly expires?: string;
}

export function tokensCreate(tokens: Command, cli: CommandLine): void {
  subcommand(tokens, 'create', 'make an access token; it is shown once')
    .requiredOption('--name <name>', 'for people')
    .option('--scope <scope>', `${TOKEN_SCOPES.join(', ')}; may be repeated (default: all but admin)`, collect)
    .option('--expires <date>', 'for instance 2027-01-31')
    .action((options: CreateTokenOptions) =>
      withContext(cli, options, async ({ client, config, print }) => {
        const created = await client.send<CreatedToken>('POST', '/api/manage/tokens', {
          name: options.name,
          scopes: options.scope ?? [],
          expiresAt: options.expires ?? null,
        });
        print(created, (token) => renderCreateToken(token, config.baseUrl));
      }),
    );
}

/** What a token can be tried with, by its scope. */
const FIRST_READS: readonly (readonly [TokenScope, string])[] = [
  ['usage:read', '/api/mcp/usage/summary'],
  ['alerts:read', '/api/mcp/alerts'],
  ['webhooks:write', '/api/mcp/webhooks'],
];

function renderCreateToken({ name, scopes, token }: CreatedToken, baseUrl: string): string {
  const path = FIRST_READS.find(([scope]) => scopeAllows(scopes, scope))?.[1];
  const use = path === undefined ? '' : `\n\ncurl\n  curl ${baseUrl}${path} \\\n  -H "authorization: Bearer ${token}"`;
  return `Access token "${name}". It is shown only now:

  ${token}

It may: ${scopes.join(', ')}${use}`;
}
