import type { Command } from 'commander';
import { Option } from 'commander';
import type { WebhookDetailsShape } from '../contract/webhooks.ts';
import { DIGESTS } from '../domain/alerts/webhook.ts';
import { collect, subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeWebhook } from './describe-webhook.ts';

interface UpdateWebhookOptions extends CommonOptions {
  readonly name?: string;
  readonly url?: string;
  readonly event?: string[];
  readonly enable?: boolean;
  readonly disable?: boolean;
  readonly digest?: string;
}

export function webhooksUpdate(webhooks: Command, cli: CommandLine): void {
  subcommand(webhooks, 'update', 'change a webhook, enable or disable it')
    .argument('<id>')
    .option('--name <name>', 'for people')
    .option('--url <url>', 'where alerts go')
    .option('--event <event>', 'all it gets from now on; may be repeated', collect)
    .addOption(new Option('--digest <digest>', 'a summary each Monday').choices(DIGESTS))
    .option('--enable', 'send, and what still waits too')
    .addOption(new Option('--disable', 'send nothing').conflicts('enable'))
    .action((id: string, options: UpdateWebhookOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { name, url, event: events, enable, disable, digest } = options;
        const enabled = enable ? true : disable ? false : undefined;
        const change = { name, url, events, enabled, digest };
        print(
          await client.send<WebhookDetailsShape>('PATCH', `/api/mcp/webhooks/${encodeURIComponent(id)}`, change),
          describeWebhook,
        );
      }),
    );
}
