import type { Command } from 'commander';
import type { WebhookShape } from '../contract/webhooks.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli, Paper } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

export function webhooksList(webhooks: Command, cli: Cli): void {
  subcommand(webhooks, 'list', 'list webhooks').action((options: CommonOptions) =>
    withSession(cli, options, async ({ client, print }) => {
      print(await client.get<WebhookShape[]>('/api/mcp/webhooks'), render);
    }),
  );
}

function render(webhooks: readonly WebhookShape[], { width }: Paper): string {
  if (webhooks.length === 0) return 'There is no webhook yet. Make one with: tollbook webhooks create';
  return table(
    ['ID', 'NAME', 'TYPE', 'STATE', 'EVENTS'],
    webhooks.map(({ id, name, type, enabled, events }) => [id, name, type, enabled ? 'on' : 'off', events.join(' ')]),
    width,
  );
}
