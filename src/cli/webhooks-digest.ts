import type { Command } from 'commander';
import type { DigestShape } from '../contract/webhooks.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { plainText } from './table.ts';
import { textLines } from './text-lines.ts';

export function webhooksDigest(webhooks: Command, cli: Cli): void {
  subcommand(webhooks, 'digest', 'show the digest of the last week; sends nothing').action((options: CommonOptions) =>
    withSession(cli, options, async ({ client, print }) => {
      print(await client.get<DigestShape>('/api/mcp/digest'), render);
    }),
  );
}

function render({ title, message, facts }: DigestShape): string {
  const lines = facts.flatMap(({ name, value }) => textLines(`${name}: ${value}`));
  return [title, ...textLines(message), '', ...lines].map(plainText).join('\n');
}
