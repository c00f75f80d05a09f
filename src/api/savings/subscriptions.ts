import { z } from 'zod';
import { subscription } from '../../contract/sync.ts';
import { endpoint } from '../http/endpoint.ts';
import { readPlanContext } from '../usage/session-usage.ts';
import { subscriptionView } from './subscription-view.ts';

export const activeSubscriptions = endpoint({
  method: 'GET',
  path: '/api/mcp/subscriptions',
  summary: 'Flat-rate subscriptions that hold now',
  scope: 'usage:read',
  right: 'read',
  answer: z.array(subscription),
  async handle({ caller }, { clock, records }) {
    const { subscriptions, timeZone } = await readPlanContext(records, caller.workspaceId);
    return subscriptions.map((one) => subscriptionView(one, clock(), timeZone)).filter(({ active }) => active);
  },
});
