import type { Command } from 'commander';
import type { ClaimOffer } from '../contract/accounts.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function claimCommand(program: Command, cli: Cli): void {
  subcommand(program, 'claim', 'make the link that makes the first owner').action((options: CommonOptions) =>
    withSession(cli, options, async ({ client, print }) => {
      const offer = await client.send<ClaimOffer>('POST', '/api/manage/claim');
      print(offer, ({ link }) => `Whoever opens this link first owns this installation:\n\n  ${link}`);
    }),
  );
}
