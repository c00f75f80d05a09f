import type { body } from '../contract/routes/savings.ts';
import type { z } from 'zod';
import { type ManagedSubscription, type SubscriptionShape } from '../contract/sync.ts';
import { endpoint } from './http/endpoint.ts';
import { readPlanContext } from './usage/session-usage.ts';
import { readUsd, usdFromNano } from '../domain/money/money.ts';
import { isSubscribed, type PlanProvider, type PlanSubscription } from '../domain/sessions/subscription.ts';
import { offsetAt } from '../domain/time/period.ts';
import { TollbookError } from '../domain/errors.ts';
import { isPlanName, PLANS } from '../domain/sessions/plan.ts';
import type { NewSubscription } from '../storage/records/subscriptions.ts';
import { computeEtag } from './http/if-match.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';

export interface SubscriptionServices {
  readonly clock: Clock;
  readonly records: Records;
}

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

function managedView(subscription: PlanSubscription, now: number, timeZone: string): ManagedSubscription {
  // Whether it is active changes with the day.
  const { active: _, ...settings } = subscriptionView(subscription, now, timeZone);
  return { ...subscriptionView(subscription, now, timeZone), etag: computeEtag(settings) };
}

export const listSubscriptions = endpoint(
  'GET /api/manage/subscriptions',
  async ({ caller }, { clock, records }: SubscriptionServices) => {
    const { subscriptions, timeZone } = await readPlanContext(records, caller.workspaceId);
    return subscriptions.map((one) => managedView(one, clock(), timeZone));
  },
);

export const activeSubscriptions = endpoint(
  'GET /api/mcp/subscriptions',
  async ({ caller }, { clock, records }: SubscriptionServices) => {
    const { subscriptions, timeZone } = await readPlanContext(records, caller.workspaceId);
    return subscriptions.map((one) => subscriptionView(one, clock(), timeZone)).filter(({ active }) => active);
  },
);

/** Formats the current day of a time zone: `2026-01-31`. */
function localToday(now: number, timeZone: string): string {
  return new Date(now + offsetAt(now, timeZone)).toISOString().slice(0, 10);
}

export const createSubscription = endpoint(
  'POST /api/manage/subscriptions',
  async ({ caller, body: asked }, { clock, records }: SubscriptionServices) => {
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
    return managedView(created, clock(), timeZone);
  },
);

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
  const sentence = `"${plan.slice(0, 100)}" is not a known plan (${known}). Give its ${param} too.`;
  return new TollbookError('invalid', sentence, param);
}

export const endSubscription = endpoint(
  'POST /api/manage/subscriptions/{id}/end',
  async ({ caller, path, body, requireMatch }, { clock, records }: SubscriptionServices) => {
    const { timeZone } = await records.workspaces.get(caller.workspaceId);
    const lastDay = body.endedAt === undefined ? localToday(clock(), timeZone) : body.endedAt;
    const view = (one: PlanSubscription) => managedView(one, clock(), timeZone);
    return view(
      await records.subscriptions.end(caller.workspaceId, path.id, lastDay, caller.actor, (now) =>
        requireMatch(view(now)),
      ),
    );
  },
);
