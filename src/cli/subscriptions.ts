import type { Command } from 'commander';
import type { SubscriptionShape } from '../contract/sync.ts';
import { PLANS } from '../domain/sessions/plan.ts';
import type { PlanProvider } from '../domain/sessions/subscription.ts';
import { collect, type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { table } from './table.ts';
import { readDayOption } from './time-options.ts';

/** `Claude Max 5x (sub_…): $100 a month, from 2026-01-01.` */
export function describeSubscription(subscription: SubscriptionShape): string {
  const { id, name, monthlyCost, seats, startedAt, endedAt, tokens, provider } = subscription;
  const price = `$${monthlyCost} a month${seats === 1 ? '' : ` for each of ${seats} seats`}`;
  const time = endedAt === null ? `from ${startedAt} on` : `from ${startedAt} to ${endedAt}`;
  const whose = tokens.length === 0 ? `all sessions of ${provider}` : `sessions uploaded with ${tokens.join(', ')}`;
  return `${name} (${id}): ${price}, ${time}.\nIt covers ${whose}.`;
}

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

export function subscriptionsAdd(subscriptions: Command, cli: CliEnvironment): void {
  subcommand(subscriptions, 'add', 'add a flat-rate plan; covered usage is shown but not owed')
    .requiredOption('--plan <plan>', `${Object.keys(PLANS).join(', ')}, or another name`)
    .option('--provider <provider>', "anthropic or openai (default: the plan's provider)")
    .option('--name <name>', "display name (default: the plan's name)")
    .option('--price <usd>', "dollars per seat and month (default: the plan's list price)")
    .option('--seats <n>', 'default: 1')
    .option('--from <day>', 'first day, for example monday, 2026-01-31 (default: today)')
    .option('--until <day>', 'last day (default: none)')
    .option('--token <id>', 'access token whose sessions it covers; repeatable (default: all of the provider)', collect)
    .action((options: AddSubscriptionOptions) =>
      withContext(cli, options, async (context) => {
        const { client, print } = context;
        const { plan, provider, name, price, seats, from, until, token } = options;
        const added = await client.call('POST /api/manage/subscriptions', {
          body: {
            plan,
            provider: provider as PlanProvider | undefined,
            name,
            monthlyCost: price,
            seats: seats === undefined ? undefined : Number(seats),
            startedAt: readDayOption(from, '--from', context, 'past'),
            endedAt: readDayOption(until, '--until', context, 'future'),
            tokens: token,
          },
        });
        print(added, describeSubscription);
      }),
    );
}

export function subscriptionsList(subscriptions: Command, cli: CliEnvironment): void {
  subcommand(subscriptions, 'list', 'list flat-rate plans')
    .option('--all', 'include past and future ones')
    .action((options: CommonOptions & { all?: boolean }) =>
      withContext(cli, options, async ({ client, print }) => {
        const all = await client.call('GET /api/manage/subscriptions');
        print(
          all.filter(({ active }) => options.all || active),
          renderSubscriptions,
        );
      }),
    );
}

function renderSubscriptions(subscriptions: readonly SubscriptionShape[], { width }: TextLayout): string {
  if (subscriptions.length === 0) return 'No subscriptions. To add one: tollbook subscriptions add --plan max_5x';
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

export function subscriptionsEnd(subscriptions: Command, cli: CliEnvironment): void {
  subcommand(subscriptions, 'end <id>', 'end a subscription')
    .option('--on <day>', 'last day, or never (default: today)')
    .action((id: string, options: CommonOptions & { on?: string }) =>
      withContext(cli, options, async (context) => {
        const { client, print } = context;
        const endedAt = options.on === 'never' ? null : readDayOption(options.on, '--on', context, 'past');
        const request = { params: { id }, body: { endedAt } };
        print(await client.call('POST /api/manage/subscriptions/{id}/end', request), describeSubscription);
      }),
    );
}
