import type { Command } from 'commander';
import type { WebhookDetailsShape } from '../contract/webhooks.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeWebhook } from './describe-webhook.ts';

export function webhooksShow(webhooks: Command, cli: Cli): void {
  subcommand(webhooks, 'show', 'show a webhook, and how it does')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withSession(cli, options, async ({ client, print }) => {
        print(await client.get<WebhookDetailsShape>(`/api/mcp/webhooks/${encodeURIComponent(id)}`), describeWebhook);
      }),
    );
}
