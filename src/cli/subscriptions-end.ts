import type { Command } from 'commander';
import type { SubscriptionShape } from '../contract/sync.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { dayOption } from './day.ts';
import { describeSubscription } from './describe-subscription.ts';

export function subscriptionsEnd(subscriptions: Command, cli: CommandLine): void {
  subcommand(subscriptions, 'end <id>', 'end a subscription with a day')
    .option('--on <day>', 'its last day, or never (default: today)', (text) =>
      text === 'never' ? text : dayOption(text),
    )
    .action((id: string, options: CommonOptions & { on?: string }) =>
      withContext(cli, options, async ({ client, print }) => {
        const endedAt = options.on === 'never' ? null : options.on;
        const path = `/api/manage/subscriptions/${encodeURIComponent(id)}/end`;
        print(await client.send<SubscriptionShape>('POST', path, { endedAt }), describeSubscription);
      }),
    );
}
