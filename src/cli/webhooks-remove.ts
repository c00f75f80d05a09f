import type { Command } from 'commander';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

export function webhooksRemove(webhooks: Command, cli: Cli): void {
  subcommand(webhooks, 'remove', 'remove a webhook, with what it has sent and still would')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withSession(cli, options, async ({ client, print }) => {
        const path = `/api/mcp/webhooks/${encodeURIComponent(id)}`;
        print(await client.send<{ removed: string }>('DELETE', path), ({ removed }) => `Webhook ${removed} is gone.`);
      }),
    );
}
