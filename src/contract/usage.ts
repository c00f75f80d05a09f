import { z } from 'zod';
import { COST_BASES } from '../domain/usage/call.ts';
import { PERIOD_STEPS } from '../domain/time/period.ts';
import { uncertaintyShape, unpricedShape } from './uncertainty.ts';
import { time, usd, count } from './fields.ts';

export const periodQuery = z.object({
  startDate: z
    .string()
    .optional()
    .meta({ description: 'ISO 8601; default: 30 days before now. A bare date is its 00:00 UTC' }),
  endDate: z
    .string()
    .optional()
    .meta({ description: 'ISO 8601; default: now. A bare date includes that whole UTC day, a date-time is exclusive' }),
});

/** Basis of the cost in sums. */
export const costQuery = z.object({
  cost: z.enum(COST_BASES).default('effective').meta({
    description: 'list = at list prices; contracted = at prices by contract; effective = the cost (default)',
  }),
});

const period = z.object({ start: time, end: time.meta({ description: 'Exclusive' }) });

const share = z.object({ cost: usd, calls: count, ...uncertaintyShape });

/** Local usage that a subscription or a provider report covers: shown apart from the cost owed. */
const coveredUsage = z.object({
  cost: usd.meta({ description: 'Cost at retail prices' }),
  calls: count,
  inputTokens: count,
  outputTokens: count,
  ...unpricedShape,
});
export type CoveredUsage = z.output<typeof coveredUsage>;

export const usageSummary = z
  .object({
    totalCost: usd,
    totalCalls: count,
    totalInputTokens: count.meta({ description: 'Uncached, cache reads and cache writes' }),
    totalOutputTokens: count.meta({ description: 'Including thinking' }),
    byProvider: z.record(z.string(), share),
    byModel: z.record(z.string(), share),
    period,
    ...uncertaintyShape,
    callsUnknown: z
      .boolean()
      .optional()
      .meta({ description: 'true = some unproxied usage has no number of calls and adds none' }),
    covered: coveredUsage.optional().meta({
      description:
        'Usage that subscriptions cover, at list price: local usage, which is not in the totals, and calls with the login of a subscription, which are in the totals at no cost',
    }),
    coveredByReports: coveredUsage.optional().meta({
      description: 'Local usage in a period that provider reports cover; the totals count it once, from the reports',
    }),
  })
  .meta({ id: 'UsageSummary' });
export type UsageSummary = z.output<typeof usageSummary>;

export const tagUsageRow = z
  .object({
    tag: z.string(),
    value: z.string(),
    cost: usd,
    calls: count,
    ...uncertaintyShape,
    percentage: z.number().meta({ description: 'Share of the cost of all calls with the tag, 0 to 100, one decimal' }),
  })
  .meta({ id: 'TagUsageRow' });
export type TagUsageRow = z.output<typeof tagUsageRow>;

const measures = z.object({
  calls: count,
  failedCalls: count,
  cost: usd,
  inputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  ...uncertaintyShape,
});

const point = measures.extend({
  start: time,
  value: z.string().nullable(),
  and: z.string().nullable().optional().meta({ description: 'Value of the second dimension' }),
});

export const usageSeries = z
  .object({
    period,
    step: z.enum(PERIOD_STEPS),
    timeZone: z.string(),
    by: z.string().nullable(),
    starts: z.array(time).meta({ description: 'Start of each step, including steps without a call' }),
    points: z.array(point),
    untagged: share
      .extend({ percentage: z.number() })
      .optional()
      .meta({ description: 'Calls without the tag; the percentage is their share of the cost of all calls' }),
    covered: z
      .array(coveredUsage.extend({ start: time }))
      .optional()
      .meta({ description: 'Local usage that a subscription covers, by step; not in the points' }),
    coveredByReports: z
      .array(coveredUsage.extend({ start: time }))
      .optional()
      .meta({
        description: 'Local usage in a period that provider reports cover; the points count it from the reports',
      }),
    comparison: z
      .object({ period, starts: z.array(time), points: z.array(point) })
      .optional()
      .meta({ description: 'The comparison period, split by the same values' }),
  })
  .meta({ id: 'UsageSeries' });
export type UsageSeries = z.output<typeof usageSeries>;

const value = z.object({ value: z.string(), cost: usd, calls: count });

export const usageValues = z
  .object({
    period: z.object({ start: time, end: time }),
    sources: z.array(value),
    providers: z.array(value),
    models: z.array(value),
    keys: z.array(value.extend({ name: z.string() })),
    statuses: z.array(value),
    tagKeys: z.array(z.string()),
    tags: z.array(value).optional().meta({ description: 'Values of the requested tag' }),
  })
  .meta({ id: 'UsageValues' });
export type UsageValues = z.output<typeof usageValues>;
