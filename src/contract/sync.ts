import { z } from 'zod';
import { time, usd, count } from './fields.ts';
import {
  RECORD_CALLS_MAX,
  RECORD_MODEL,
  RECORD_TOKENS_MAX,
  RECORDS_MAX,
  ROUNDING_PICO_MAX,
  SHARE_GEOS,
  SHARE_SPEEDS,
  SHARE_TIERS,
  SHARES_MAX,
} from '../domain/sessions/session-record.ts';
import type { SavingsStatus } from '../domain/sessions/plan.ts';
import { LOCAL_SOURCES } from '../domain/sessions/local-call.ts';
import { PLAN_PROVIDERS } from '../domain/sessions/subscription.ts';
import { etag } from './fields.ts';
import { unpricedShape } from './uncertainty.ts';

const day = z.string().meta({ format: 'date' });

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hexadecimal digits');
const tokens = z.int().min(0).max(RECORD_TOKENS_MAX);
const calls = z.int().min(0).max(RECORD_CALLS_MAX);

const tokenFields = {
  inputTokens: tokens.meta({ description: 'Uncached' }),
  outputTokens: tokens,
  cacheReadTokens: tokens,
  cacheCreationTokens: tokens,
  cacheCreation1hTokens: tokens
    .optional()
    .meta({ description: 'Part of cacheCreationTokens that is cached for an hour' }),
};

const recordShare = z.strictObject({
  speed: z.enum(SHARE_SPEEDS).optional(),
  tier: z.enum(SHARE_TIERS).optional(),
  geo: z.enum(SHARE_GEOS).optional(),
  promptTokens: tokens
    .optional()
    .meta({ description: 'A prompt length in the same price tier; absent = the shortest' }),
  calls: calls.optional(),
  ...tokenFields,
});

export const sessionRecord = z
  .strictObject({
    sessionId: hash.meta({ description: "SHA-256 of the source and the session's id" }),
    projectId: hash.meta({ description: 'HMAC-SHA256 of the project with a secret of the uploading machine' }),
    model: z.string().regex(RECORD_MODEL, 'must be a model name of at most 128 letters, digits and .:@/()[]+-_'),
    ...tokenFields,
    timestamp: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' })
      .meta({ description: "First use within the record's UTC hour" }),
    calls: calls.optional(),
    webSearches: calls.optional(),
    roundingPico: z
      .int()
      .min(-ROUNDING_PICO_MAX)
      .max(ROUNDING_PICO_MAX)
      .optional()
      .meta({ description: 'Amount that rounding of each call added to the exact cost, in 10^-12 US dollars' }),
    shares: z
      .array(recordShare)
      .max(SHARES_MAX)
      .optional()
      .meta({ description: 'Parts of the tokens that are charged differently' }),
  })
  .meta({ id: 'SessionRecord' });

export const syncUpload = z.strictObject({
  sessions: z.array(sessionRecord).min(1).max(RECORDS_MAX),
});

export const sourceUpload = syncUpload.extend({
  source: z.enum(LOCAL_SOURCES).meta({ description: 'The assistant whose sessions these are' }),
});

export const syncResult = z
  .object({
    records: count,
    sessions: count,
    replaced: count.meta({ description: 'Number of replaced records' }),
    cost: usd.meta({ description: 'Cost of these records without calls through the gateway' }),
    calls: count,
    ...unpricedShape,
  })
  .meta({ id: 'SyncResult' });
export type SyncResult = z.output<typeof syncResult>;

export const subscription = z
  .object({
    id: z.string(),
    name: z.string(),
    provider: z.enum(PLAN_PROVIDERS),
    plan: z.string(),
    monthlyCost: usd.meta({ description: 'US dollars per seat' }),
    currency: z.literal('USD'),
    seats: z.int().min(1),
    startedAt: day.meta({ description: "First day, in the workspace's time zone" }),
    endedAt: day.nullable().meta({ description: 'Last day; null = no end' }),
    active: z.boolean(),
    tokens: z
      .array(z.string())
      .meta({ description: 'Access tokens whose sessions it covers; empty = all of its provider' }),
  })
  .meta({ id: 'Subscription' });
export type SubscriptionShape = z.output<typeof subscription>;

/** A subscription as its manager reads it. */
export const managedSubscription = subscription.extend({ etag }).meta({ id: 'ManagedSubscription' });
export type ManagedSubscription = z.output<typeof managedSubscription>;

export const plan = z
  .object({
    plan: z.string().meta({ description: 'Plan for `POST /api/manage/subscriptions`' }),
    name: z.string(),
    provider: z.enum(PLAN_PROVIDERS),
    monthlyCost: usd.meta({ description: 'List price in the United States, per seat' }),
  })
  .meta({ id: 'Plan' });
export type PlanShape = z.output<typeof plan>;

export const SAVINGS_PERIODS = ['daily', 'weekly', 'monthly'] as const;
export type SavingsPeriod = (typeof SAVINGS_PERIODS)[number];
const SAVINGS_STATUSES = ['Saving', 'Below Breakeven', 'No Usage'] as const satisfies readonly SavingsStatus[];

export const savingsQuery = z.object({
  period: z
    .enum(SAVINGS_PERIODS)
    .default('monthly')
    .meta({ description: "Default: monthly. Days, weeks from Monday, and months are in the workspace's time zone" }),
  date: z.string().optional().meta({ description: 'A day or time in the period; default: now' }),
});

const savingsPeriod = {
  period: z.enum(SAVINGS_PERIODS),
  start: time,
  end: time.meta({ description: 'Exclusive' }),
  timeZone: z.string(),
  inProgress: z.boolean().meta({ description: 'The period has not ended; costs are up to now' }),
};

/** Value of plans compared with their cost. */
export const planMoney = {
  retailCost: usd.meta({ description: 'Cost of the covered usage without the plans' }),
  subscriptionCost: usd.meta({ description: 'Cost of the plans up to now' }),
  fullPeriodCost: usd.meta({ description: 'Cost of the plans for the whole period' }),
  netSavings: usd.meta({ description: 'retailCost - subscriptionCost; negative if the plans cost more' }),
  status: z.enum(SAVINGS_STATUSES),
  calls: count,
  callsUnknown: z.boolean().optional().meta({ description: 'Some usage has no number of calls' }),
  ...unpricedShape,
};

export const savings = z
  .object({
    ...savingsPeriod,
    ...planMoney,
    proration: z.string().meta({ description: 'How the cost of the plans is prorated' }),
    providers: z.array(
      z.object({
        provider: z.enum(PLAN_PROVIDERS),
        ...planMoney,
        subscriptions: z.array(subscription.extend({ cost: usd, fullPeriodCost: usd })),
      }),
    ),
    uncovered: z
      .object({ cost: usd, calls: count, ...unpricedShape })
      .meta({ description: 'Local usage that no plan covers; it is in the totals of summaries' }),
  })
  .meta({ id: 'Savings' });
export type SavingsShape = z.output<typeof savings>;

export const savingsBreakdown = z
  .object({
    ...savingsPeriod,
    retailCost: usd,
    rows: z.array(
      z.object({
        provider: z.string(),
        model: z.string(),
        covered: z.boolean().meta({ description: 'Covered by a plan' }),
        calls: count,
        callsUnknown: z.boolean().optional(),
        inputTokens: count.meta({ description: 'Uncached' }),
        outputTokens: count,
        cacheReadTokens: count,
        cacheCreationTokens: count,
        retailCost: usd.nullable().meta({ description: 'null = the model has no price' }),
        percentage: z.number().meta({ description: 'Share of the retail cost of all rows, one decimal' }),
        ...unpricedShape,
      }),
    ),
  })
  .meta({ id: 'SavingsBreakdown' });
export type SavingsBreakdown = z.output<typeof savingsBreakdown>;
