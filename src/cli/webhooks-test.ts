import type { Command } from 'commander';
import type { DeliveryShape } from '../contract/webhooks.ts';
import { TollbookError } from '../domain/errors.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeTry } from './describe-webhook.ts';

export function webhooksTest(webhooks: Command, cli: CommandLine): void {
  subcommand(webhooks, 'test', 'send a test at once and tell how it went')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const path = `/api/mcp/webhooks/${encodeURIComponent(id)}/test`;
        const tried = await client.send<DeliveryShape>('POST', path, {});
        const failed = tried.state === 'failed';
        if (options.json || !failed) print(tried, describeTry);
        if (failed) throw new TollbookError('impossible', describeTry(tried));
      }),
    );
}
