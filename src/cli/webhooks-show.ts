import type { Command } from 'commander';
import type { WebhookDetailsShape } from '../contract/webhooks.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeWebhook } from './describe-webhook.ts';

export function webhooksShow(webhooks: Command, cli: CommandLine): void {
  subcommand(webhooks, 'show', 'show a webhook, and how it does')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        print(await client.get<WebhookDetailsShape>(`/api/mcp/webhooks/${encodeURIComponent(id)}`), describeWebhook);
      }),
    );
}
