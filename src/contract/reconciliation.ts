import { z } from 'zod';
import { BILL_LINE_KINDS } from '../domain/billing/bill-line.ts';
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
      .meta({ description: 'Names of this workspace’s wrapped keys that used it on these days' }),
  })
  .nullable()
  .meta({ description: 'null = used without a key, for example in a console' });

const line = z.object({
  day,
  key,
  model: z.string().nullable(),
  ledgerCost: usd,
  ledgerCalls: z.number(),
  providerCost: usd.nullable().meta({
    description: 'Cost on the provider’s bill; if not billed yet, the reported usage at list price; null = unknown',
  }),
  missing: z.string().nullable().meta({ description: 'Model or usage without a price' }),
  difference: usd.nullable(),
  reasons: z.array(z.object({ reason: z.enum(REASONS), amount: usd })),
});

const rate = z.object({
  class: z.string(),
  terms: z.string().meta({ description: 'Tier, place, speed or length; empty = ordinary' }),
  ours: z.number().nullable().meta({ description: 'USD per million tokens or uses' }),
  theirs: z.number().nullable(),
});

const price = z.object({
  model: z.string().nullable(),
  price: z
    .enum(['custom', 'list', 'none'])
    .meta({ description: 'Tollbook’s price that differs: custom price or price list; none = no price' }),
  version: z.string().nullable(),
  since: day,
  isOlder: z.boolean().meta({ description: 'The difference may have begun earlier: this is the first requested day' }),
  amount: usd,
  rates: z.array(rate),
});

export const reconciliationResponse = z.object({
  reasonNames: z.record(z.enum(REASONS), z.string()).meta({ description: 'Display name of each reason' }),
  organizations: z.array(
    z.object({
      id: z.string().meta({ description: 'Id of the admin key' }),
      name: z.string(),
      provider: z.string(),
      start: day.nullable().meta({ description: 'First day that was read; null = no requested day was read' }),
      end: day.nullable().meta({ description: 'Exclusive' }),
      coverage: z
        .object({
          throughGateway: usd,
          unknown: usd,
          total: usd,
          share: z.number().nullable(),
          until: day.nullable().meta({ description: 'Exclusive; later days may still change and are left out' }),
          atListPrice: z
            .object({ throughGateway: usd, total: usd, share: z.number().nullable() })
            .meta({ description: 'The same days at list price, as in /api/manage/coverage' }),
        })
        .meta({
          description: 'Share of the provider’s charged cost that went through the gateway, on final days',
        }),
      ledgerCost: usd,
      providerCost: usd.meta({ description: 'Sum of the lines that have a price' }),
      billedCost: usd.nullable().meta({ description: 'Total of the provider’s bill; null = the bill has no line' }),
      listCost: usd.meta({ description: 'Reported usage at list price' }),
      reasons: z.record(z.enum(REASONS), usd),
      summary: z
        .object({
          throughGateway: usd.meta({ description: 'Calls of this workspace through the gateway' }),
          outsideGateway: usd.meta({ description: 'Unproxied usage at list price or the workspace’s custom prices' }),
          total: usd,
          toBill: z
            .object({
              outsideGateway: usd.meta({ description: 'Unproxied usage: charged cost minus its cost in the summary' }),
              throughGateway: usd.meta({ description: 'Calls through the gateway: sum of their reasons' }),
              undetermined: usd.meta({
                description: 'Days that may still change, unidentified keys, and calls whose lines have no price',
              }),
              elsewhere: usd.meta({ description: 'Calls of other workspaces, organizations, or across midnight' }),
            })
            .meta({ description: 'Differences that, added to `total`, give `providerCost`' }),
        })
        .nullable()
        .meta({
          description:
            'The usage summary for the provider and these days; null = no report was read, or several organizations of the provider share it',
        }),
      payment: z
        .object({
          lines: z.array(
            z.object({
              id: z.string(),
              kind: z.enum(BILL_LINE_KINDS),
              name: z.string(),
              amount: usd.meta({
                description:
                  'Credit: minus the costs of these days that it paid. Commitment: what it lacked at its end',
              }),
            }),
          ),
          due: usd.meta({ description: '`providerCost` with these lines' }),
        })
        .nullable()
        .meta({
          description:
            'Credits and commitments that change the bill of these days; null = none, or several organizations share them',
        }),
      keys: z
        .array(z.object({ key, reason: z.enum(['outside_gateway', 'batch']), amount: usd }))
        .meta({ description: 'Unproxied usage by key, largest first' }),
      unresolvedCalls: z.array(z.object({ key, amount: usd, why: z.string().nullable() })).meta({
        description:
          'Calls without a response by key, largest first, and why they stay uncertain; null = nothing prevents their correction',
      }),
      prices: z.array(price).meta({ description: 'Details of price_drift and no_price' }),
      corrected: z
        .object({ calls: z.number(), cost: usd })
        .meta({ description: 'Uncertain calls that provider reports corrected; their cost is in the ledger' }),
      unpricedLines: z.number(),
      lines: z.array(line).meta({ description: 'Lines with the largest difference first' }),
      hiddenLines: z.number().meta({ description: 'Number of further lines, which are counted but not shown' }),
      unmatched: z
        .object({ calls: z.number(), cost: usd })
        .meta({ description: 'Calls to this provider with keys that were not found in this organization' }),
    }),
  ),
});
export type ReconciliationShape = z.output<typeof reconciliationResponse>;
