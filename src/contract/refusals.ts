import { z } from 'zod';
import { LIMIT_UNITS } from '../domain/limits/limit.ts';
import { REFUSAL_REASONS } from '../domain/limits/refusal.ts';
import { count, tags, time } from './fields.ts';

const amount = z.number().min(0).nullable();
const name = z.string().nullable();

export const refusal = z
  .object({
    at: time.meta({ description: 'Start of the minute, if several calls are summed' }),
    callId: z.string().meta({ description: 'Also in the answer header x-svc-call-id; a sum has its own ID' }),
    calls: count.meta({ description: 'Number of calls' }),
    summed: z.boolean().meta({
      description: 'A sum of the calls of one minute with the same key, limit and reason, above 60 records a minute',
    }),
    keyId: z.string(),
    provider: z.string(),
    model: name.meta({ description: 'Model that was asked for; null = a sum' }),
    limitId: z.string(),
    value: name.meta({ description: 'Value of the tag, if the limit counts each value apart' }),
    unit: z.enum(LIMIT_UNITS),
    reason: z.enum(REFUSAL_REASONS),
    needed: amount.meta({ description: "Cost bound of the call in the limit's unit; null = unknown, or a sum" }),
    remaining: amount.meta({ description: 'Amount that was left; null = a sum' }),
    tags,
    session: name,
    agent: name,
    run: name,
  })
  .meta({ id: 'Refusal' });
export type RefusalShape = z.output<typeof refusal>;

export const refusalsPage = z
  .object({
    refusals: z.array(refusal),
    nextCursor: name.meta({ description: 'Pass as `cursor` for the next page' }),
  })
  .meta({ id: 'RefusalsPage' });
export type RefusalsPageShape = z.output<typeof refusalsPage>;

export const REFUSAL_GROUPS = ['limit', 'key', 'reason', 'day'] as const;

export const refusalCounts = z
  .object({
    calls: count.meta({ description: 'Refused calls of the period' }),
    groups: z.array(
      z.object({
        value: z.string().meta({ description: 'Id of the limit or key, the reason, or the start of the day' }),
        calls: count,
      }),
    ),
  })
  .meta({ id: 'RefusalCounts' });
export type RefusalCountsShape = z.output<typeof refusalCounts>;
