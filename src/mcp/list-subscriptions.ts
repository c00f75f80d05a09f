import { z } from 'zod';
import { subscription } from '../contract/sync.ts';
import { table } from './render.ts';
import { defineTool } from './tool.ts';
import { formatCount } from '../domain/text/counts.ts';
import { formatDollars } from '../domain/text/money.ts';

export const listSubscriptions = defineTool({
  name: 'svc_list_subscriptions',
  title: 'Subscriptions',
  description: 'Active flat-rate plans of the workspace: provider, plan, price, seats and start date.',
  input: {},
  output: z.object({ subscriptions: z.array(subscription) }),
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  async run(_, { client, signal }) {
    const all = await client.call('GET /api/mcp/subscriptions', { signal });
    return { subscriptions: all.filter(({ active }) => active) };
  },
  markdown({ subscriptions }) {
    if (subscriptions.length === 0)
      return 'No active subscription. To add one where the service runs: tollbook subscriptions add --help';
    return table(
      ['Name', 'Provider', 'Plan', '>A month', '>Seats', 'Since', 'Until', 'Covers', 'Id'],
      subscriptions.map(({ id, name, provider, plan, monthlyCost, seats, startedAt, endedAt, tokens }) => [
        name,
        provider,
        plan,
        formatDollars(monthlyCost),
        formatCount(seats),
        startedAt,
        endedAt ?? '',
        tokens.length === 0 ? `all sessions of ${provider}` : `${formatCount(tokens.length)} access tokens`,
        id,
      ]),
    );
  },
});
