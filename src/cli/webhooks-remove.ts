import type { Command } from 'commander';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function webhooksRemove(webhooks: Command, cli: CommandLine): void {
  subcommand(webhooks, 'remove', 'remove a webhook, with what it has sent and still would')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const path = `/api/mcp/webhooks/${encodeURIComponent(id)}`;
        print(await client.send<{ removed: string }>('DELETE', path), ({ removed }) => `Webhook ${removed} is gone.`);
      }),
    );
}
