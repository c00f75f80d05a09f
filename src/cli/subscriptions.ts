import type { Command } from 'commander';
import type { SubscriptionShape } from '../contract/sync.ts';
import { PLANS } from '../domain/sessions/plan.ts';
import { collect, subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { dayOption } from './day.ts';
import { describeSubscription } from './describe-subscription.ts';

interface AddSubscriptionOptions extends CommonOptions {
  readonly plan: string;
  readonly provider?: string;
  readonly name?: string;
  readonly price?: string;
  readonly seats?: string;
  readonly from?: string;
  readonly until?: string;
  readonly token?: string[];
}

export function subscriptionsAdd(subscriptions: Command, cli: CommandLine): void {
  subcommand(subscriptions, 'add', 'add a flat-rate plan: what it covers is shown in reports and not owed')
    .requiredOption('--plan <plan>', `${Object.keys(PLANS).join(', ')}, or any other`)
    .option('--provider <provider>', "anthropic or openai (default: the known plan's)")
    .option('--name <name>', "for people (default: the known plan's)")
    .option('--price <usd>', "dollars a month for each seat (default: the known plan's list price)")
    .option('--seats <n>', 'default: 1')
    .option('--from <day>', 'its first day (default: today)', dayOption)
    .option('--until <day>', 'its last day (default: it goes on)', dayOption)
    .option(
      '--token <id>',
      "access token whose sessions it covers; may be repeated (default: all its provider's)",
      collect,
    )
    .action((options: AddSubscriptionOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { plan, provider, name, price, seats, from, until, token } = options;
        const added = await client.send<SubscriptionShape>('POST', '/api/manage/subscriptions', {
          plan,
          provider,
          name,
          monthlyCost: price,
          seats: seats === undefined ? undefined : Number(seats),
          startedAt: from,
          endedAt: until,
          tokens: token,
        });
        print(added, describeSubscription);
      }),
    );
}
