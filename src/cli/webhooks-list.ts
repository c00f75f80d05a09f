import type { Command } from 'commander';
import type { WebhookShape } from '../contract/webhooks.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

export function webhooksList(webhooks: Command, cli: CommandLine): void {
  subcommand(webhooks, 'list', 'list webhooks').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.get<WebhookShape[]>('/api/mcp/webhooks'), renderWebhooks);
    }),
  );
}

function renderWebhooks(webhooks: readonly WebhookShape[], { width }: TextLayout): string {
  if (webhooks.length === 0) return 'There is no webhook yet. Make one with: tollbook webhooks create';
  return table(
    ['ID', 'NAME', 'TYPE', 'STATE', 'EVENTS'],
    webhooks.map(({ id, name, type, enabled, events }) => [id, name, type, enabled ? 'on' : 'off', events.join(' ')]),
    width,
  );
}
