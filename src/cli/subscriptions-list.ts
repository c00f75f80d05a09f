import type { Command } from 'commander';
import type { SubscriptionShape } from '../contract/sync.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

export function subscriptionsList(subscriptions: Command, cli: CommandLine): void {
  subcommand(subscriptions, 'list', 'list flat-rate plans')
    .option('--all', 'those of other times too')
    .action((options: CommonOptions & { all?: boolean }) =>
      withContext(cli, options, async ({ client, print }) => {
        const all = await client.get<SubscriptionShape[]>('/api/manage/subscriptions');
        print(
          all.filter(({ active }) => options.all || active),
          renderSubscriptions,
        );
      }),
    );
}

function renderSubscriptions(subscriptions: readonly SubscriptionShape[], { width }: TextLayout): string {
  if (subscriptions.length === 0)
    return 'There is no subscription. Add one with: tollbook subscriptions add --plan max_5x';
  return table(
    ['ID', 'NAME', 'USD', 'FROM', 'UNTIL', 'COVERS'],
    subscriptions.map(({ id, name, monthlyCost, seats, startedAt, endedAt, tokens, provider }) => [
      id,
      name,
      seats === 1 ? String(monthlyCost) : `${monthlyCost} × ${seats}`,
      startedAt,
      endedAt ?? '',
      tokens.length === 0 ? provider : `${tokens.length} tokens`,
    ]),
    width,
  );
}
