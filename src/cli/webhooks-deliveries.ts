import type { Command } from 'commander';
import type { DeliveryShape } from '../contract/webhooks.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';

interface DeliveriesWebhookOptions extends CommonOptions {
  readonly limit: string;
  readonly before?: string;
}

interface DeliveryPage {
  readonly deliveries: readonly DeliveryShape[];
  readonly next: string | null;
}

export function webhooksDeliveries(webhooks: Command, cli: CommandLine): void {
  subcommand(webhooks, 'deliveries', 'what a webhook has sent and still will, newest first')
    .argument('<id>')
    .option('--limit <number>', 'from 1 to 100', '20')
    .option('--before <id>', 'the page after the delivery with this id')
    .action((id: string, options: DeliveriesWebhookOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { limit, before } = options;
        print(
          await client.get<DeliveryPage>(`/api/mcp/webhooks/${encodeURIComponent(id)}/deliveries`, { limit, before }),
          renderDeliveriesWebhook,
        );
      }),
    );
}

function renderDeliveriesWebhook({ deliveries, next }: DeliveryPage, { width }: TextLayout): string {
  if (deliveries.length === 0) return 'Nothing was sent yet. Try it: tollbook webhooks test ID';
  const rows = deliveries.map(({ id, kind, state, attempts, createdAt, nextAttemptAt }) => {
    const last = attempts.at(-1);
    return {
      cells: [id, minute(createdAt), kind, state, String(attempts.length), last?.status?.toString() ?? ''],
      notes: () => [
        ...(last?.error ? textLines(last.error) : []),
        ...(last && nextAttemptAt !== null ? [`Next try: ${minute(nextAttemptAt)} UTC`] : []),
      ],
    };
  });
  const shown = tableWithNotes(['ID', 'QUEUED UTC', 'KIND', 'STATE', 'TRIES', 'LAST'], rows, width);
  return next === null ? shown : `${shown}\nOlder ones: --before ${next}`;
}

function minute(time: string): string {
  return time.slice(5, 16).replace('T', ' ');
}
