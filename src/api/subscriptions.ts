import { z } from 'zod';
import { subscription, type SubscriptionShape } from '../contract/sync.ts';
import { endpoint } from './http/endpoint.ts';
import { readPlanContext } from './usage/session-usage.ts';
import { readUsd, usdFromNano } from '../domain/money/money.ts';
import {
  isSubscribed,
  PLAN_PROVIDERS,
  type PlanProvider,
  type PlanSubscription,
} from '../domain/sessions/subscription.ts';
import { offsetAt } from '../domain/time/period.ts';
import { TollbookError } from '../domain/errors.ts';
import { isPlanName, PLANS } from '../domain/sessions/plan.ts';
import type { NewSubscription } from '../storage/records/subscriptions.ts';
import { seen } from '../contract/seen.ts';
import { requireUnchanged } from './http/if-match.ts';

export function subscriptionView(subscription: PlanSubscription, now: number, timeZone: string): SubscriptionShape {
  const { id, name, provider, plan, monthlyCost, seats, startedOn, endedOn, tokenIds } = subscription;
  return {
    id,
    name,
    provider,
    plan,
    monthlyCost: usdFromNano(monthlyCost),
    currency: 'USD',
    seats,
    startedAt: startedOn,
    endedAt: endedOn,
    active: isSubscribed(subscription, now, timeZone),
    tokens: [...tokenIds],
  };
}

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

/** `2026-01-31` */
export function localToday(now: number, timeZone: string): string {
  return new Date(now + offsetAt(now, timeZone)).toISOString().slice(0, 10);
}

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
    const view = (one: PlanSubscription) => subscriptionView(one, clock(), timeZone);
    return view(
      await records.subscriptions.end(caller.workspaceId, path.id, lastDay, caller.actor, (now) =>
        requireUnchanged(body.seen, view(now)),
      ),
    );
  },
});
