import { z } from 'zod';
import { subscription } from '../contract/sync.ts';
import { endpoint } from './http/endpoint.ts';
import { subscriptionView } from './savings/subscription-view.ts';
import { readPlanContext } from './usage/session-usage.ts';

export const listSubscriptions = endpoint({
  method: 'GET',
  path: '/api/manage/subscriptions',
  summary: 'Flat-rate subscriptions, ended ones too',
  scope: 'admin',
  right: 'read',
  answer: z.array(subscription),
  async handle({ caller }, { clock, records }) {
    const { subscriptions, timeZone } = await readPlanContext(records, caller.workspaceId);
    return subscriptions.map((one) => subscriptionView(one, clock(), timeZone));
  },
});
