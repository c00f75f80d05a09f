import { z } from 'zod';
import { time, usd, count } from './fields.ts';
import { uncertaintyShape, unpricedShape } from './uncertainty.ts';

const period = z.object({ start: time, end: time.meta({ description: 'Exclusive' }) });

const spend = z
  .object({
    cost: usd,
    calls: count,
    ...uncertaintyShape,
  })
  .meta({ id: 'Spend' });
export type SpendShape = z.output<typeof spend>;

export const CHANGE_DIMENSIONS = ['tag', 'key', 'model', 'provider'] as const;

const moved = {
  before: usd,
  after: usd,
  difference: usd,
  callsBefore: count,
  callsAfter: count,
  unpricedBefore: count
    .optional()
    .meta({ description: 'Calls of the period before whose model has no price; not in the cost' }),
  unpricedAfter: count
    .optional()
    .meta({ description: 'Calls of the period after whose model has no price; not in the cost' }),
  unpricedUsageBefore: unpricedShape.unpricedUsage,
  unpricedUsageAfter: unpricedShape.unpricedUsage,
};

export const usageChanges = z
  .object({
    period,
    comparedWith: period,
    ...moved,
    byVolume: usd.meta({ description: 'Part of the difference due to more or fewer calls' }),
    byRate: usd.meta({ description: 'Part due to the cost per call; both parts add up to the difference' }),
    cause: z
      .object({
        by: z.enum(CHANGE_DIMENSIONS),
        tagKey: z.string().nullable(),
        value: z.string(),
        name: z.string(),
        difference: usd,
        share: z
          .number()
          .meta({ description: 'Share of the difference; above 1 if others moved in the opposite direction' }),
      })
      .nullable()
      .meta({ description: 'Value that explains most of the change; null = no single one' }),
    message: z.string().meta({ description: 'The change as a sentence' }),
    dimensions: z.array(
      z.object({
        by: z.enum(CHANGE_DIMENSIONS),
        tagKey: z.string().nullable(),
        parts: z
          .array(
            z.object({
              value: z.string().nullable().meta({ description: 'null = no value: untagged, or model unknown' }),
              name: z.string().meta({ description: 'Display name, such as the name of a key' }),
              ...moved,
            }),
          )
          .meta({ description: 'Largest change first, in either direction' }),
        other: z
          .object({ ...moved, callsBefore: z.int(), callsAfter: z.int(), values: count })
          .meta({ description: 'All other values; with them the parts add up to the difference' }),
      }),
    ),
  })
  .meta({ id: 'UsageChanges' });
export type UsageChanges = z.output<typeof usageChanges>;

export const overview = z
  .object({
    at: time,
    timeZone: z.string().meta({ description: 'Time zone of the days and months' }),
    today: spend.extend({ start: time }),
    yesterday: z.object({
      start: time,
      byThisTime: spend.meta({ description: 'Yesterday up to the current time of day' }),
      whole: spend,
    }),
    month: z.object({
      ...period.shape,
      toDate: spend,
      throughGateway: usd.meta({
        description: 'Part of the cost to date that went through the gateway, which limits count',
      }),
    }),
    forecast: z
      .object({
        expected: usd,
        low: usd,
        high: usd,
        basedOnDays: count.meta({ description: 'Number of complete days that the forecast uses' }),
      })
      .nullable()
      .meta({
        description: 'Forecast of all usage of the month, with an 80% range from low to high. null = too few days',
      }),
    changes: usageChanges.meta({
      description: 'Today compared to yesterday up to the same time, without provider reports, which cover whole days',
    }),
    unreadAlerts: count,
    setup: z
      .object({
        adminKeys: count,
        accessTokens: count,
        wrappedKeys: count,
        limits: count,
        webhooks: count,
        hasCalls: z.boolean().meta({ description: 'A call was recorded in the last 400 days' }),
        hasSessions: z.boolean().meta({ description: 'Local sessions were uploaded in the last 400 days' }),
      })
      .meta({ description: 'Setup progress of the workspace' }),
  })
  .meta({ id: 'Overview' });
export type OverviewShape = z.output<typeof overview>;
