import { z } from 'zod';
import { REASONS } from '../core/reconcile.ts';

/** Shapes of comparing book and provider; see `contract.ts`. Money in USD, the provider's less the book's. */

const day = z.string().meta({ format: 'date' });
const usd = z.number();

const line = z.object({
  day,
  key: z
    .object({ id: z.string(), name: z.string().nullable() })
    .nullable()
    .meta({ description: 'null = used without a key, in a console for instance' }),
  model: z.string().nullable(),
  bookCost: usd,
  bookCalls: z.number(),
  providerCost: usd.nullable().meta({ description: 'What the reported tokens cost at list price; null = unknown' }),
  missing: z.string().nullable().meta({ description: 'What has no price' }),
  difference: usd.nullable(),
  reasons: z.array(z.object({ reason: z.enum(REASONS), amount: usd })),
  unexplained: usd.nullable(),
});

export const reconciliationAnswer = z.object({
  organizations: z.array(
    z.object({
      id: z.string().meta({ description: 'Of its admin key' }),
      name: z.string(),
      provider: z.string(),
      start: day.nullable().meta({ description: 'Of the days that were read; null = none of those asked for' }),
      end: day.nullable().meta({ description: 'Exclusive' }),
      bookCost: usd,
      providerCost: usd.meta({ description: 'Of the lines that have a price' }),
      reasons: z.record(z.enum(REASONS), usd),
      unexplained: usd,
      unpricedLines: z.number(),
      coverage: z
        .object({ passed: usd, unclear: usd, total: usd, share: z.number().nullable() })
        .meta({ description: 'Of days that change no more: what of the provider’s cost passed the gate' }),
      lines: z.array(line).meta({ description: 'Those that differ most first' }),
      linesLeft: z.number().meta({ description: 'Further lines that are not shown, but counted' }),
      apart: z
        .object({ calls: z.number(), cost: usd })
        .meta({ description: 'Booked with this provider through keys that could not be found in this organization' }),
      providerCosts: z
        .array(z.object({ day, project: z.string().nullable(), model: z.string().nullable(), cost: usd.nullable() }))
        .meta({ description: 'The provider’s own figures; null = one is in another currency' }),
    }),
  ),
});
export type ReconciliationShape = z.output<typeof reconciliationAnswer>;
