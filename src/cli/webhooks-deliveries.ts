import type { Command } from 'commander';
import type { DeliveryShape } from '../contract/webhooks.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli, Paper } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';

interface Options extends CommonOptions {
  readonly limit: string;
  readonly before?: string;
}

interface Page {
  readonly deliveries: readonly DeliveryShape[];
  readonly next: string | null;
}

export function webhooksDeliveries(webhooks: Command, cli: Cli): void {
  subcommand(webhooks, 'deliveries', 'what a webhook has sent and still will, newest first')
    .argument('<id>')
    .option('--limit <number>', 'from 1 to 100', '20')
    .option('--before <id>', 'the page after the delivery with this id')
    .action((id: string, options: Options) =>
      withSession(cli, options, async ({ client, print }) => {
        const { limit, before } = options;
        print(
          await client.get<Page>(`/api/mcp/webhooks/${encodeURIComponent(id)}/deliveries`, { limit, before }),
          render,
        );
      }),
    );
}

function render({ deliveries, next }: Page, { width }: Paper): string {
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
