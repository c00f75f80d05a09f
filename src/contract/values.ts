import { z } from 'zod';

const time = z.string().meta({ format: 'date-time' });
const usd = z.number().meta({ description: 'US dollars' });
const count = z.int().min(0);

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

export const priceCoverage = z
  .object({
    period: z.object({ start: time, end: time }),
    calls: count,
    unpricedCalls: count,
    priceLists: z
      .object({
        checkedAt: time.meta({
          description: 'Time when the lists were last checked against published prices, or fetched',
        }),
        ageDays: count,
        isOld: z.boolean().meta({ description: 'Older than 60 days; some prices have probably changed' }),
      })
      .meta({ description: 'Age of the price lists in use' }),
    models: z
      .array(
        z.object({
          provider: z.string(),
          model: z.string().nullable().meta({ description: 'null = unknown' }),
          calls: count,
          cost: usd,
          unpricedCalls: count,
          price: z
            .object({
              model: z.string().meta({ description: 'Model name in the price list' }),
              source: z.string().meta({ description: '`user` = a custom price' }),
              version: z.string(),
            })
            .nullable()
            .meta({ description: 'Current price; null = none' }),
        }),
      )
      .meta({ description: 'Models without a price first, then by cost, highest first' }),
    hasMore: z.boolean().meta({ description: 'More models exist' }),
  })
  .meta({ id: 'PriceCoverage' });
export type PriceCoverage = z.output<typeof priceCoverage>;
