import type { Command } from 'commander';
import type { DigestShape } from '../contract/webhooks.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { plainText } from './table.ts';
import { textLines } from './text-lines.ts';

export function webhooksDigest(webhooks: Command, cli: CommandLine): void {
  subcommand(webhooks, 'digest', 'show the digest of the last week; sends nothing').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.get<DigestShape>('/api/mcp/digest'), renderDigestWebhook);
    }),
  );
}

function renderDigestWebhook({ title, message, facts }: DigestShape): string {
  const lines = facts.flatMap(({ name, value }) => textLines(`${name}: ${value}`));
  return [title, ...textLines(message), '', ...lines].map(plainText).join('\n');
}
