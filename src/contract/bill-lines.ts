import { z } from 'zod';
import { BILL_LINE_KINDS } from '../domain/billing/bill-line.ts';
import { etag, name, time, usd } from './fields.ts';

const day = z.string().meta({ format: 'date' });

export const newBillLine = z.strictObject({
  provider: z.string(),
  kind: z.enum(BILL_LINE_KINDS),
  name,
  amount: z.union([z.number(), z.string()]).meta({ description: 'US dollars' }),
  from: day.optional().meta({ description: 'First UTC day; default: today' }),
  until: day.nullable().default(null).meta({ description: 'First UTC day without it; null = a credit without an end' }),
});
export type NewBillLineShape = z.input<typeof newBillLine>;

export const billLine = z
  .object({
    id: z.string(),
    provider: z.string(),
    kind: z.enum(BILL_LINE_KINDS).meta({
      description: 'credit: pays for costs until it is used up; commitment: minimum cost of its period',
    }),
    name: z.string(),
    amount: usd,
    from: day,
    until: day.nullable(),
    cost: usd.meta({ description: 'Recorded cost of the provider in its period until now' }),
    used: usd.meta({ description: 'Part of the amount that these costs used, at most the amount' }),
    left: usd.meta({
      description: 'Rest of the amount. After the end: an expired credit, or what a commitment is billed without use',
    }),
    createdAt: time,
    etag,
  })
  .meta({ id: 'BillLine' });
export type BillLineShape = z.output<typeof billLine>;
