import { z } from 'zod';
import { documented } from './documented.ts';
import type { SentBody } from './route.ts';
import { time } from './fields.ts';
import { CALL_NAMES, LIMIT_ACTIONS, LIMIT_UNITS, LIMIT_WINDOWS } from '../domain/limits/limit.ts';
import { PERIOD_STEPS } from '../domain/time/period.ts';
import { etag } from './fields.ts';

const amount = z.number().min(0).meta({ description: "In the limit's unit; dollars for `usd`" });

const limitScope = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('workspace') }),
    z.strictObject({ kind: z.literal('key'), keyId: z.string() }),
    z.strictObject({ kind: z.literal('provider'), provider: z.string() }),
    z.strictObject({ kind: z.literal('model'), pattern: z.string().meta({ description: '`*` = any characters' }) }),
    z.strictObject({ kind: z.literal('tag'), key: z.string(), value: z.string() }),
    z.strictObject({ kind: z.literal('each_tag'), key: z.string() }),
    z.strictObject({
      kind: z.literal('each'),
      of: z.enum(CALL_NAMES),
      keyId: z.string().nullable().default(null).meta({ description: 'null = of all keys' }),
    }),
  ])
  .meta({
    id: 'LimitScope',
    description:
      'Calls that the limit counts; `each_tag` counts each value of the tag apart, `each` every session, agent or run',
  });

const thresholds = z.array(z.number()).meta({ description: 'Percentages of the amount that raise an alert' });
const uncertainRule = z.string().meta({
  description: 'How uncertain calls count: `keep` until the window ends, or `release-after 2h` for that time',
});
const label = z.string().nullable().meta({ description: 'Name for people' });
const countsObserved = z.boolean().meta({
  description:
    'Counts calls outside the gateway too, as telemetry and usage events report them; only for limits that warn',
});

/** Accepts text too, so that an amount that a person typed is read exactly. */
export const writtenAmount = z
  .union([z.number(), z.string()], { error: ({ input }) => (input === undefined ? 'is missing' : 'must be a number') })
  .meta({ description: "In the limit's unit; dollars for `usd`" });

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
  countsObserved,
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
    countsObserved,
    etag,
  })
  .meta({ id: 'Limit' });
export type LimitShape = z.output<typeof limit>;

export const limitSet = limit
  .extend({
    counterpart: limit
      .optional()
      .meta({ description: 'The limit with the same scope, unit and window and the other action' }),
  })
  .meta({ id: 'LimitSet' });

const standing = z.object({
  effectiveAmount: amount.meta({ description: 'Amount including a raise' }),
  counted: amount.meta({ description: 'Counted for ended calls' }),
  held: amount.meta({ description: 'Held by running calls, of all nodes' }),
  heldAsOf: time.optional().meta({
    description: 'Time of the oldest figure in `held`, of a node that is silent; absent = all are new',
  }),
  remaining: amount.meta({ description: 'Available for the next call' }),
  uncertain: amount.meta({ description: 'Part of `counted` that the provider may not have charged' }),
  observed: amount.optional().meta({
    description: 'Part of `counted` that only telemetry or usage events report; absent = the limit does not count it',
  }),
  resetsAt: time.nullable().meta({ description: 'null = never' }),
  projected: amount.nullable().meta({
    description: '`counted` at the end of the window, if its average pace so far continues; null = too early to tell',
  }),
  isPartial: z.boolean().optional().meta({
    description:
      'true = usage of the window before the limit existed or changed is not counted yet: `counted` may be too low and `remaining` too high, and calls under a blocking limit wait',
  }),
});

const valueStanding = standing.extend({ value: z.string() });
export type ValueStanding = z.output<typeof valueStanding>;

export const limitStanding = limit
  .extend({
    createdAt: time,
    ...standing.shape,
    values: z.array(valueStanding).optional().meta({
      description:
        "For a limit on each value of a tag: the fullest values. The limit's own figures are those of the first",
    }),
    hasMoreValues: z.boolean().optional().meta({ description: 'More values exist' }),
  })
  .meta({ id: 'LimitStanding' });
export type LimitStanding = z.output<typeof limitStanding>;

export const limitHistory = z
  .object({
    period: z.object({
      start: time,
      end: time
        .nullable()
        .meta({ description: 'Exclusive; null = the limit never resets, and these are its last days' }),
    }),
    step: z.enum(PERIOD_STEPS),
    timeZone: z.string(),
    starts: z.array(time).meta({ description: 'Start of each step of the window, future ones too' }),
    counted: z
      .array(amount)
      .meta({ description: 'Recorded usage that the limit counts, for each step that has begun; by time of the call' }),
  })
  .meta({ id: 'LimitHistory' });
export type LimitHistory = z.output<typeof limitHistory>;

const holdFigures = z.object({ median: amount, p95: amount, max: amount });
const fitting = z.int().nullable().meta({ description: 'null = any number' });

export const limitPreview = z
  .object({
    scope: limitScope,
    unit: z.enum(LIMIT_UNITS),
    amount,
    window: z.enum(LIMIT_WINDOWS),
    action: z.enum(LIMIT_ACTIONS),
    history: z.object({
      from: time.meta({ description: 'Start of the calls that were read; seven days ago, or later if there are more' }),
      until: time,
      isComplete: z.boolean().meta({ description: 'false = the workspace had more calls in seven days than are read' }),
      calls: z.int().meta({ description: 'Calls in scope that reached a provider' }),
      unpricedCalls: z.int().meta({ description: 'Calls of models without a price, in `calls`; 0 for other units' }),
    }),
    holds: holdFigures
      .nullable()
      .meta({ description: 'What a call holds before it is sent; null = no call was recorded' }),
    fitAtOnce: z
      .object({ median: fitting, p95: fitting, max: fitting })
      .nullable()
      .meta({ description: 'Calls with these holds that fit at the same time under an unused amount' }),
    effect: z
      .object({
        refused: z.int(),
        shortened: z.int(),
        waited: z.int().meta({ description: 'Sent whole after waiting for other calls' }),
      })
      .nullable()
      .meta({ description: 'Effect on the calls of the history, if the limit blocks; null = no call was recorded' }),
    refusedCalls: z
      .object({
        calls: z.int(),
        isComplete: z.boolean().meta({ description: 'false = there may be more of them' }),
        needed: holdFigures.nullable().meta({ description: 'What they needed; null = not known in this unit' }),
      })
      .nullable()
      .meta({ description: 'Calls in scope that limits refused, which the other figures leave out; null = none' }),
  })
  .meta({ id: 'LimitPreview' });
export type LimitPreview = z.output<typeof limitPreview>;

export const limitsPage = z
  .object({
    limits: z.array(limitStanding),
    nextCursor: z.string().nullable().meta({ description: 'Pass as `after` for the next page' }),
  })
  .meta({ id: 'LimitsPage' });
export type LimitsPage = z.output<typeof limitsPage>;

const patterns = z.array(z.string()).meta({ description: 'Models; `*` = any characters' });
const texts = z.array(z.string());

const activeHours = z
  .object({ days: texts, from: z.string(), until: z.string(), timeZone: z.string() })
  .meta({ description: 'For example mon to fri, from 09:00 until 18:00' });

const policy = z
  .object({
    allowedModels: patterns.nullable(),
    deniedModels: patterns,
    maxOutputTokens: z.int().nullable().meta({ description: 'Sum over all responses of a call' }),
    requiredTags: z.record(z.string(), texts.nullable()).meta({ description: 'Allowed values by tag; null = any' }),
    requiredNames: texts.meta({ description: '`session` and `run`: names that every call must have' }),
    maxSessionsPerHour: z.int().nullable().meta({ description: 'Sessions that calls may name in one hour' }),
    allowedAddresses: texts.nullable().meta({ description: 'Client addresses and ranges that are allowed' }),
    activeHours: activeHours.nullable(),
    whenOverLimit: z.enum(['refuse', 'shorten']).meta({ description: 'Action for a call that may exceed a limit' }),
    minOutputTokens: z.int().meta({ description: 'A call that would be shortened to fewer output tokens is refused' }),
    assumedCostUsd: z.number().nullable().meta({ description: 'Assumed cost of work without a cost bound' }),
    unpricedModels: z
      .enum(['refuse', 'allow'])
      .meta({ description: 'Action for models without a price under a limit in dollars' }),
    onDisconnect: z.enum(['drain', 'abort']),
    geo: z.string().nullable().meta({ description: 'Region of the provider key' }),
    tier: z.string().nullable().meta({ description: "Service tier of the provider key's project" }),
    maxBodyBytes: z.int().nullable(),
  })
  .meta({ id: 'Policy' });
export type PolicyShape = z.output<typeof policy>;

const { deniedModels, requiredTags, whenOverLimit, minOutputTokens, unpricedModels, onDisconnect } = policy.shape;
const policyInput = policy
  .extend({
    deniedModels: deniedModels.nullable(),
    requiredTags: requiredTags.nullable(),
    whenOverLimit: whenOverLimit.nullable(),
    minOutputTokens: minOutputTokens.nullable(),
    unpricedModels: unpricedModels.nullable(),
    onDisconnect: onDisconnect.nullable(),
    activeHours: activeHours.partial({ days: true }).nullable(),
    assumedCostUsd: z
      .union([z.number(), z.string()])
      .nullable()
      .meta({ description: 'Dollars, above 0; text is exact' }),
  })
  .partial();

/** A policy in requests. `parsePolicy` checks it. An absent or null rule gets its default. */
export const writtenPolicy = documented(policyInput);
export type WrittenPolicyShape = SentBody<z.input<typeof writtenPolicy>>;

export const keyPolicy = z.object({ keyId: z.string(), keyName: z.string(), policy, etag }).meta({ id: 'KeyPolicy' });
export type KeyPolicyShape = z.output<typeof keyPolicy>;
