import { z } from 'zod';
import type { Subscription } from '../../domain/sessions/subscription.ts';
import { seen } from '../../contract/seen.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { subscription } from '../../contract/sync.ts';
import { endpoint } from '../http/endpoint.ts';
import { localToday } from '../savings/local-today.ts';
import { subscriptionView } from '../savings/subscription-view.ts';

export const endSubscription = endpoint({
  method: 'POST',
  path: '/api/manage/subscriptions/{id}/end',
  summary: 'End a flat-rate subscription',
  scope: 'admin',
  right: 'manage',
  body: z.strictObject({
    endedAt: z
      .string()
      .nullable()
      .optional()
      .meta({ format: 'date', description: 'Its last day; default: today; null = it goes on after all' }),
    seen,
  }),
  answer: subscription,
  async handle({ caller, path, body }, { clock, records }) {
    const { timeZone } = await records.workspaces.get(caller.workspaceId);
    const lastDay = body.endedAt === undefined ? localToday(clock(), timeZone) : body.endedAt;
    const view = (one: Subscription) => subscriptionView(one, clock(), timeZone);
    return view(
      await records.subscriptions.end(caller.workspaceId, path.id, lastDay, caller.actor, (now) =>
        requireUnchanged(body.seen, view(now)),
      ),
    );
  },
});
