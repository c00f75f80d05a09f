import type { Command } from 'commander';
import type { AccessTokenShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function tokensRevoke(tokens: Command, cli: CommandLine): void {
  subcommand(tokens, 'revoke <id>', 'revoke an access token for ever').action((id: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const token = await client.send<AccessTokenShape>('DELETE', `/api/manage/tokens/${encodeURIComponent(id)}`);
      print(token, () => `${token.id} "${token.name}" is revoked.`);
    }),
  );
}
