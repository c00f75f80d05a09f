import { z } from 'zod';

/** Shapes of coverage. Money in USD, at list price. */

const usd = z.number();

const spend = z.object({
  total: usd.meta({ description: 'By the provider’s report, of days that change no more' }),
  throughGateway: usd,
  outsideGateway: usd.meta({ description: 'Did not pass the gate' }),
  unknown: usd.meta({ description: 'Of this it is not known' }),
  share: z.number().nullable().meta({ description: 'passed of total, from 0 to 1; null = there was no spend' }),
});

export const coverageAnswer = z.object({
  period: z.object({ start: z.string(), end: z.string() }),
  step: z.enum(['day', 'week', 'month']),
  organizations: z.array(
    spend.extend({
      id: z.string().meta({ description: 'Of its admin key' }),
      name: z.string(),
      provider: z.string(),
      points: z
        .array(spend.extend({ start: z.string().meta({ format: 'date' }) }))
        .meta({ description: 'By step, those with spend' }),
    }),
  ),
});
export type CoverageShape = z.output<typeof coverageAnswer>;
