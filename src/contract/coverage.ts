import { z } from 'zod';

/** Shapes of coverage. Money in USD, at list price. */

const usd = z.number();

const spend = z.object({
  total: usd.meta({ description: 'Total of the provider report for final days' }),
  throughGateway: usd,
  outsideGateway: usd.meta({ description: 'Spend outside the gateway' }),
  unknown: usd.meta({ description: "Spend that can't be assigned yet" }),
  share: z.number().nullable().meta({ description: 'throughGateway / total, 0 to 1; null = no spend' }),
});

export const coverageResponse = z.object({
  period: z.object({ start: z.string(), end: z.string() }),
  step: z.enum(['day', 'week', 'month']),
  organizations: z.array(
    spend.extend({
      id: z.string().meta({ description: 'Id of the admin key' }),
      name: z.string(),
      provider: z.string(),
      points: z
        .array(spend.extend({ start: z.string().meta({ format: 'date' }) }))
        .meta({ description: 'Steps with spend' }),
    }),
  ),
});
export type CoverageShape = z.output<typeof coverageResponse>;
