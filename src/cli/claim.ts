import type { Command } from 'commander';
import type { ClaimOffer } from '../contract/accounts.ts';
import { type CommandLine, type CommonOptions, subcommand, withContext } from './cli.ts';

export function claimCommand(program: Command, cli: CommandLine): void {
  subcommand(program, 'claim', 'make the link that makes the first owner').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const offer = await client.send<ClaimOffer>('POST', '/api/manage/claim');
      print(offer, ({ link }) => `Whoever opens this link first owns this installation:\n\n  ${link}`);
    }),
  );
}
