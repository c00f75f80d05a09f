import { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';
import { readUsd } from '../../domain/money/money.ts';
import { isPlanName, PLANS } from '../../domain/sessions/plan.ts';
import type { PlanProvider } from '../../domain/sessions/subscription.ts';
import type { NewSubscription } from '../../storage/records/subscription-records.ts';
import { localToday } from '../savings/local-today.ts';
import { subscriptionView } from '../savings/subscription-view.ts';
import { subscription } from '../../contract/sync.ts';
import { endpoint } from '../http/endpoint.ts';
import { PLAN_PROVIDERS } from '../../domain/sessions/subscription.ts';

const body = z.strictObject({
  plan: z.string().meta({ description: `${Object.keys(PLANS).join(', ')}, or any other name with provider and price` }),
  provider: z.enum(PLAN_PROVIDERS).optional().meta({ description: "Default: the known plan's" }),
  name: z.string().optional().meta({ description: "For people; default: the known plan's title" }),
  monthlyCost: z.union([z.number(), z.string()]).optional().meta({ description: 'US dollars for each seat' }),
  seats: z.int().min(1).default(1),
  startedAt: z.string().optional().meta({ format: 'date', description: 'Its first day; default: today' }),
  endedAt: z.string().nullable().default(null).meta({ format: 'date', description: 'Its last day' }),
  tokens: z.array(z.string()).default([]).meta({ description: 'Ids of access tokens that it covers; none = all' }),
});

export const createSubscription = endpoint({
  method: 'POST',
  path: '/api/manage/subscriptions',
  summary: 'Add a flat-rate subscription',
  description:
    'Local sessions that it covers are shown in reports and not added to what is owed, from its first day on.',
  scope: 'admin',
  right: 'manage',
  body,
  answer: subscription,
  status: 201,
  async handle({ caller, body: asked }, { clock, records }) {
    const { timeZone } = await records.workspaces.get(caller.workspaceId);
    const input: NewSubscription = {
      workspaceId: caller.workspaceId,
      ...readPlan(asked),
      seats: asked.seats,
      startedOn: asked.startedAt ?? localToday(clock(), timeZone),
      endedOn: asked.endedAt,
      tokenIds: [...new Set(asked.tokens)],
    };
    const created = await records.subscriptions.create(input, caller.actor);
    return subscriptionView(created, clock(), timeZone);
  },
});

interface AskedPlan {
  readonly name: string;
  readonly plan: string;
  readonly provider: PlanProvider;
  readonly monthlyCost: number;
}

function readPlan(asked: z.output<typeof body>): AskedPlan {
  const plan = asked.plan.trim().toLowerCase().replaceAll('-', '_');
  const known = isPlanName(plan) ? PLANS[plan] : null;
  const provider = asked.provider ?? known?.provider;
  if (!provider) throw missingField('provider', asked.plan);
  const price = asked.monthlyCost ?? known?.usdPerMonth;
  if (price === undefined) throw missingField('monthlyCost', asked.plan);
  return {
    plan: known ? plan : asked.plan,
    name: asked.name ?? known?.title ?? asked.plan,
    provider,
    monthlyCost: readUsd(price, 'monthlyCost'),
  };
}

function missingField(param: string, plan: string): TollbookError {
  const known = Object.keys(PLANS).join(', ');
  const sentence = `"${plan.slice(0, 100)}" is none of the plans known here (${known}): give its ${param}.`;
  return new TollbookError('invalid', sentence, param);
}
