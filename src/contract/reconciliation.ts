import { z } from 'zod';
import { REASONS } from '../domain/reconciliation/reasons.ts';

/** Shapes of reconciliation. Money in USD: the provider's minus the ledger's. */

const day = z.string().meta({ format: 'date' });
const usd = z.number();
const key = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    wrapped: z
      .array(z.string())
      .meta({ description: 'Names of this workspace’s wrapped keys that stood for it on these days' }),
  })
  .nullable()
  .meta({ description: 'null = used without a key, in a console for instance' });

const line = z.object({
  day,
  key,
  model: z.string().nullable(),
  ledgerCost: usd,
  ledgerCalls: z.number(),
  providerCost: usd.nullable().meta({
    description:
      'As the provider’s bill says; what the reported use costs at list price where it does not say; null = unknown',
  }),
  missing: z.string().nullable().meta({ description: 'What has no price' }),
  difference: usd.nullable(),
  reasons: z.array(z.object({ reason: z.enum(REASONS), amount: usd })),
});

const rate = z.object({
  class: z.string(),
  terms: z.string().meta({ description: 'Tier, place, speed or length; empty = ordinary' }),
  ours: z.number().nullable().meta({ description: 'USD for a million tokens, or uses' }),
  theirs: z.number().nullable(),
});

const price = z.object({
  model: z.string().nullable(),
  price: z
    .enum(['custom', 'list', 'none'])
    .meta({ description: 'Which of ours differs: a workspace’s own, or the price list; none = the book had none' }),
  version: z.string().nullable(),
  since: day,
  isOlder: z.boolean().meta({ description: 'It may have differed before: that is the first of the days asked for' }),
  amount: usd,
  rates: z.array(rate),
});

export const reconciliationAnswer = z.object({
  reasonNames: z.record(z.enum(REASONS), z.string()).meta({ description: 'How a person reads each reason' }),
  organizations: z.array(
    z.object({
      id: z.string().meta({ description: 'Of its admin key' }),
      name: z.string(),
      provider: z.string(),
      start: day.nullable().meta({ description: 'Of the days that were read; null = none of those asked for' }),
      end: day.nullable().meta({ description: 'Exclusive' }),
      coverage: z
        .object({
          throughGateway: usd,
          unknown: usd,
          total: usd,
          share: z.number().nullable(),
          until: day.nullable().meta({ description: 'Exclusive: later days may still change and are not in it' }),
          atListPrice: z
            .object({ throughGateway: usd, total: usd, share: z.number().nullable() })
            .meta({ description: 'The same days at list price, as /api/manage/coverage has them' }),
        })
        .meta({
          description: 'Of days that change no more: what of the provider’s cost, as it charges, passed the gate',
        }),
      ledgerCost: usd,
      providerCost: usd.meta({ description: 'Of the lines that have a price' }),
      billedCost: usd.nullable().meta({ description: 'What the provider’s own bill comes to; null = it has no line' }),
      listCost: usd.meta({ description: 'What the reported use costs at list price' }),
      reasons: z.record(z.enum(REASONS), usd),
      summary: z
        .object({
          throughGateway: usd.meta({ description: 'Calls of this workspace’s gate' }),
          outsideGateway: usd.meta({ description: 'Use beside the gate, at list price or the workspace’s own' }),
          total: usd,
          toBill: z
            .object({
              outsideGateway: usd.meta({ description: 'Use beside the gate: as charged, less as the summary has it' }),
              throughGateway: usd.meta({ description: 'Calls through the gate, by the reasons that are theirs' }),
              undetermined: usd.meta({
                description: 'Days that still change, keys that can’t be told, and calls whose lines have no price',
              }),
              elsewhere: usd.meta({ description: 'Calls of other workspaces, organizations, or across midnight' }),
            })
            .meta({ description: 'Together with `total` they come to `providerCost`' }),
        })
        .nullable()
        .meta({
          description:
            'What the usage summary has of the provider and these days; null = nothing was read, or several organizations of the provider share it',
        }),
      keys: z
        .array(z.object({ key, reason: z.enum(['outside_gateway', 'batch']), amount: usd }))
        .meta({ description: 'What did not pass the gate, by key, the most first' }),
      unresolvedCalls: z.array(z.object({ key, amount: usd, why: z.string().nullable() })).meta({
        description:
          'Calls without an answer, by key, the most first, and why they keep their doubt; null = nothing speaks against correcting them',
      }),
      prices: z.array(price).meta({ description: 'What is behind price_drift and no_price' }),
      corrected: z
        .object({ calls: z.number(), cost: usd })
        .meta({ description: 'Calls of uncertain cost that reports have told; their cost is in the book' }),
      unpricedLines: z.number(),
      lines: z.array(line).meta({ description: 'Those that differ most first' }),
      hiddenLines: z.number().meta({ description: 'Further lines that are not shown, but counted' }),
      unmatched: z
        .object({ calls: z.number(), cost: usd })
        .meta({ description: 'Booked with this provider through keys that could not be found in this organization' }),
    }),
  ),
});
export type ReconciliationShape = z.output<typeof reconciliationAnswer>;
