import type { Command } from 'commander';
import { type CliEnvironment, type CommonOptions, subcommand, withContext } from './cli.ts';

export function claimCommand(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'claim', 'print a new link that creates the owner account').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const offer = await client.call('POST /api/manage/claim');
      print(offer, ({ link }) => `Open this link to create the owner account. It works once:\n\n  ${link}`);
    }),
  );
}
