import { z } from 'zod';
import { PLANS } from '../../domain/sessions/plan.ts';
import { plan } from '../../contract/sync.ts';
import { endpoint } from '../http/endpoint.ts';

export const listPlans = endpoint({
  method: 'GET',
  path: '/api/mcp/plans',
  summary: 'Flat-rate plans that are known, at list price',
  scope: 'usage:read',
  right: 'read',
  answer: z.array(plan),
  async handle() {
    return Object.entries(PLANS).map(([id, { title, provider, usdPerMonth }]) => ({
      plan: id,
      name: title,
      provider,
      monthlyCost: usdPerMonth,
    }));
  },
});
