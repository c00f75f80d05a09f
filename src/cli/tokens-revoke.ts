import type { Command } from 'commander';
import type { AccessTokenShape } from '../contract/usage.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function tokensRevoke(tokens: Command, cli: Cli): void {
  subcommand(tokens, 'revoke <id>', 'revoke an access token for ever').action((id: string, options: CommonOptions) =>
    withSession(cli, options, async ({ client, print }) => {
      const token = await client.send<AccessTokenShape>('DELETE', `/api/manage/tokens/${encodeURIComponent(id)}`);
      print(token, () => `${token.id} "${token.name}" is revoked.`);
    }),
  );
}
