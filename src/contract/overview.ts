import { z } from 'zod';
import { uncertaintyShape, unpricedShape } from './uncertainty.ts';

const time = z.string().meta({ format: 'date-time' });
const usd = z.number().meta({ description: 'US dollars' });
const count = z.int().min(0);
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
  unpricedBefore: count.optional().meta({ description: 'Calls before whose model has no price: not in the cost' }),
  unpricedAfter: count.optional().meta({ description: 'The same, after' }),
  unpricedUsageBefore: unpricedShape.unpricedUsage,
  unpricedUsageAfter: unpricedShape.unpricedUsage,
};

export const usageChanges = z
  .object({
    period,
    comparedWith: period,
    ...moved,
    byVolume: usd.meta({ description: 'The part of the difference that comes from more or fewer calls' }),
    byRate: usd.meta({ description: 'The part that comes from dearer or cheaper ones; both are the difference' }),
    cause: z
      .object({
        by: z.enum(CHANGE_DIMENSIONS),
        tagKey: z.string().nullable(),
        value: z.string(),
        name: z.string(),
        difference: usd,
        share: z.number().meta({ description: 'Of the difference; above 1 where others went the other way' }),
      })
      .nullable()
      .meta({ description: 'The one value that explains most of it; null = no single one does' }),
    message: z.string().meta({ description: 'The same in a sentence' }),
    dimensions: z.array(
      z.object({
        by: z.enum(CHANGE_DIMENSIONS),
        tagKey: z.string().nullable(),
        parts: z
          .array(
            z.object({
              value: z.string().nullable().meta({ description: 'null = without one: untagged, model unknown' }),
              name: z.string().meta({ description: 'For people: the name of a key' }),
              ...moved,
            }),
          )
          .meta({ description: 'The largest first, up or down' }),
        other: z
          .object({ ...moved, callsBefore: z.int(), callsAfter: z.int(), values: count })
          .meta({ description: 'Everything else: with it the parts come to the difference' }),
      }),
    ),
  })
  .meta({ id: 'UsageChanges' });
export type UsageChanges = z.output<typeof usageChanges>;

export const overview = z
  .object({
    at: time,
    timeZone: z.string().meta({ description: 'Whose days and months these are' }),
    today: spend.extend({ start: time }),
    yesterday: z.object({
      start: time,
      byThisTime: spend.meta({ description: 'From its start for as long as today has gone on' }),
      whole: spend,
    }),
    month: z.object({ ...period.shape, toDate: spend }),
    forecast: z
      .object({
        expected: usd,
        low: usd,
        high: usd,
        basedOnDays: count.meta({ description: 'Whole days that it was taken from' }),
      })
      .nullable()
      .meta({ description: 'Of the whole month; four of five end between low and high. null = too few days' }),
    changes: usageChanges.meta({
      description:
        'Today against yesterday until the same time, without the reports of organizations, which are of whole days',
    }),
    unreadAlerts: count,
    setup: z
      .object({
        adminKeys: count,
        accessTokens: count,
        wrappedKeys: count,
        limits: count,
        webhooks: count,
        hasCalls: z.boolean().meta({ description: 'A call was booked, in the last 400 days' }),
        hasSessions: z.boolean().meta({ description: 'Local sessions were uploaded, in the last 400 days' }),
      })
      .meta({ description: 'What there is already, for whoever begins' }),
  })
  .meta({ id: 'Overview' });
export type OverviewShape = z.output<typeof overview>;
