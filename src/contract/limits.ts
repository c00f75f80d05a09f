import { z } from 'zod';
import { LIMIT_ACTIONS, LIMIT_UNITS, LIMIT_WINDOWS } from '../domain/limits/limit.ts';
import { seen } from './seen.ts';

const time = z.string().meta({ format: 'date-time' });
const amount = z.number().min(0).meta({ description: "In the limit's unit; `usd` in dollars" });

const limitScope = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('workspace') }),
    z.strictObject({ kind: z.literal('key'), keyId: z.string() }),
    z.strictObject({ kind: z.literal('provider'), provider: z.string() }),
    z.strictObject({ kind: z.literal('model'), pattern: z.string().meta({ description: '`*` = any characters' }) }),
    z.strictObject({ kind: z.literal('tag'), key: z.string(), value: z.string() }),
    z.strictObject({ kind: z.literal('each_tag'), key: z.string() }),
  ])
  .meta({ id: 'LimitScope', description: 'Which calls it counts; `each_tag` counts every value of the tag apart' });

const thresholds = z.array(z.number()).meta({ description: 'Per cent of the amount at which an alert is raised' });
const uncertainRule = z.string().meta({
  description: 'Calls whose cost stays uncertain: `keep` counts them until the window ends, `release-after 2h` so long',
});
const label = z.string().nullable().meta({ description: 'For people' });

/** Accepts text too, so that an amount that a person typed is read exactly. */
export const writtenAmount = z
  .union([z.number(), z.string()], { error: ({ input }) => (input === undefined ? 'is missing' : 'must be a number') })
  .meta({ description: "In the limit's unit; `usd` in dollars" });

/** Fields of a limit in requests. `domain/limits` checks their values. */
export const limitFields = z.strictObject({
  scope: limitScope,
  unit: z.enum(LIMIT_UNITS),
  amount: writtenAmount,
  window: z.enum(LIMIT_WINDOWS),
  action: z.enum(LIMIT_ACTIONS),
  thresholds,
  uncertainRule,
  label,
});

export const limit = z
  .object({
    id: z.string(),
    scope: limitScope,
    unit: z.enum(LIMIT_UNITS),
    amount,
    raise: z.object({ amount, until: time }).nullable(),
    window: z.enum(LIMIT_WINDOWS),
    action: z.enum(LIMIT_ACTIONS),
    thresholds,
    uncertainRule,
    label,
  })
  .meta({ id: 'Limit' });
export type LimitShape = z.output<typeof limit>;

export const limitSet = limit
  .extend({
    counterpart: limit
      .optional()
      .meta({ description: 'The limit that counts the same and does the other: warn, or block' }),
  })
  .meta({ id: 'LimitSet' });
export type LimitSetShape = z.output<typeof limitSet>;

const standing = z.object({
  effectiveAmount: amount.meta({ description: 'A raise included' }),
  counted: amount.meta({ description: 'Calls that have ended' }),
  held: amount.meta({ description: 'Set aside by calls under way' }),
  remaining: amount.meta({ description: 'What the next call may take at most' }),
  uncertain: amount.meta({ description: 'The part of `counted` that the provider may not have charged' }),
  resetsAt: time.nullable().meta({ description: 'null = never' }),
  projected: amount
    .nullable()
    .meta({ description: "Counted at the window's end if it goes on so; null = nobody can say" }),
});

const valueStanding = standing.extend({ value: z.string() });
export type ValueStanding = z.output<typeof valueStanding>;

export const limitStanding = limit
  .extend({
    ...standing.shape,
    values: z.array(valueStanding).optional().meta({
      description: 'Of a limit on each value of a tag: the fullest ones. Its own figures are those of the first',
    }),
    hasMoreValues: z.boolean().optional().meta({ description: 'There are more values than these' }),
  })
  .meta({ id: 'LimitStanding' });
export type LimitStanding = z.output<typeof limitStanding>;

export const limitsPage = z
  .object({
    limits: z.array(limitStanding),
    nextCursor: z.string().nullable().meta({ description: 'Give it as `after` for more' }),
  })
  .meta({ id: 'LimitsPage' });
export type LimitsPage = z.output<typeof limitsPage>;

export const refusedCalls = z
  .array(
    z.object({
      at: time,
      callId: z.string(),
      keyId: z.string(),
      provider: z.string(),
      value: z.string().nullable().meta({ description: 'Where the limit counts each value of a tag: which one' }),
      reason: z.string(),
      needed: amount.nullable().meta({ description: 'What it might have come to' }),
      remaining: amount.nullable(),
    }),
  )
  .meta({ id: 'RefusedCalls' });
export type RefusedCallsShape = z.output<typeof refusedCalls>;

const patterns = z.array(z.string()).meta({ description: 'Models; `*` = any characters' });
const texts = z.array(z.string());

const policy = z
  .object({
    allowedModels: patterns.nullable(),
    deniedModels: patterns,
    maxOutputTokens: z.int().nullable().meta({ description: 'Of a call, all its answers together' }),
    requiredTags: z.record(z.string(), texts.nullable()).meta({ description: 'Values a tag may have; null = any' }),
    allowedAddresses: texts.nullable().meta({ description: 'Addresses and ranges that calls may come from' }),
    activeHours: z
      .object({ days: texts, from: z.string(), until: z.string(), timeZone: z.string() })
      .nullable()
      .meta({ description: 'For instance mon to fri, from 09:00 until 18:00' }),
    whenOverLimit: z.enum(['refuse', 'clamp']).meta({ description: 'A call larger than what a limit has left' }),
    assumedCostUsd: z.number().nullable().meta({ description: 'What work without a bound is presumed to cost' }),
    unpricedModels: z
      .enum(['refuse', 'allow'])
      .meta({ description: 'Models without a price, under a limit of dollars' }),
    onDisconnect: z.enum(['drain', 'abort']),
    geo: z.string().nullable().meta({ description: 'Where the provider key is bound to' }),
    tier: z.string().nullable().meta({ description: "Service tier of the provider key's project" }),
    maxBodyBytes: z.int().nullable(),
  })
  .meta({ id: 'Policy' });
export type PolicyShape = z.output<typeof policy>;

/** The policy parser reads the body and explains errors; this shape only documents it. */
const { $schema: _dialect, ...writtenForm } = z.toJSONSchema(policy.partial().extend({ seen }), { io: 'input' });
export const writtenPolicy = z.unknown().meta(writtenForm);

export const keyPolicy = z.object({ keyId: z.string(), keyName: z.string(), policy }).meta({ id: 'KeyPolicy' });
export type KeyPolicyShape = z.output<typeof keyPolicy>;
