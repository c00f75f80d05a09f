import type { Command } from 'commander';
import { TollbookError } from '../domain/errors.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

interface ReplayWebhookOptions extends CommonOptions {
  readonly delivery?: string;
  readonly from?: string;
  readonly to?: string;
  readonly all?: boolean;
}

export function webhooksReplay(webhooks: Command, cli: CommandLine): void {
  subcommand(webhooks, 'replay', 'send again: one delivery, or what was not delivered of a period')
    .argument('<id>')
    .option('--delivery <id>', 'this one')
    .option('--from <time>', 'what was queued from this time on, for instance 2026-11-21')
    .option('--to <time>', 'and before this one; default: now')
    .option('--all', 'of the period also what was delivered')
    .action((id: string, options: ReplayWebhookOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const webhook = `/api/mcp/webhooks/${encodeURIComponent(id)}`;
        const { delivery, from, to, all = false } = options;
        if (delivery !== undefined) {
          const path = `${webhook}/deliveries/${encodeURIComponent(delivery)}/replay`;
          print(await client.send<{ id: string }>('POST', path, {}), (again) => `It is queued again as ${again.id}.`);
          return;
        }
        if (from === undefined)
          throw new TollbookError('invalid', 'Say what to send again: --delivery ID or --from TIME.');
        const body = { startDate: from, endDate: to, all };
        print(await client.send<{ deliveries: number }>('POST', `${webhook}/replay`, body), ({ deliveries }) =>
          deliveries === 0 ? 'There is nothing to send again.' : `Queued again: ${deliveries}.`,
        );
      }),
    );
}
