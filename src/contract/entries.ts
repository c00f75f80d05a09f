import { z } from 'zod';
import { UNCERTAIN_REASONS, CALL_OUTCOMES, ENTRY_SOURCES } from '../domain/usage/call.ts';
import { LIMIT_ACTIONS, LIMIT_UNITS, LIMIT_WINDOWS } from '../domain/limits/limit.ts';
import { OBSERVED_SOURCES } from '../domain/observed/observed-call.ts';
import { PROVENANCES } from '../domain/pricing/provenance.ts';
import { FEE_CLASSES, TOKEN_CLASSES, USE_CLASSES } from '../domain/usage/usage.ts';
import { time, usd, count, tags } from './fields.ts';
import { observedCall } from './observed.ts';
import { refusal } from './refusals.ts';

const tokenCounts = z.partialRecord(z.enum(TOKEN_CLASSES), count);

const useCounts = z.partialRecord(z.enum(USE_CLASSES), count);

export const entry = z
  .object({
    id: z.string().meta({ description: 'Also in the response header x-svc-call-id' }),
    source: z.enum(ENTRY_SOURCES),
    provider: z.string(),
    operation: z.string(),
    model: z.string().nullable(),
    requestedModel: z.string().nullable(),
    keyId: z.string(),
    tags,
    startedAt: time,
    endedAt: time,
    durationMs: z.number(),
    firstByteMs: z.number().nullable(),
    stream: z.boolean(),
    shortenedTo: z
      .object({ outputTokens: count.nullable(), toolUses: count.nullable() })
      .nullable()
      .meta({ description: 'Maxima that the gateway set so that the call fits under its limits; null = none' }),
    status: z.int().meta({ description: "HTTP status of the provider's response; 0 = no response" }),
    errorType: z
      .string()
      .nullable()
      .meta({ description: "Provider's word for its error, for instance overloaded_error; null = none" }),
    outcome: z.enum(CALL_OUTCOMES),
    uncertainReason: z.enum(UNCERTAIN_REASONS).nullable().meta({ description: 'Reason why the cost is uncertain' }),
    usageSource: z.enum(['reported', 'counted', 'none']),
    inputTokens: count,
    outputTokens: count,
    thinkingTokens: count,
    tokens: tokenCounts.meta({ description: 'Tokens by class; the classes never overlap' }),
    uses: useCounts,
    cost: usd.nullable().meta({ description: 'Cost with all adjustments; null = unknown' }),
    listCost: usd.nullable().meta({ description: 'At list prices; the cost itself where none is known' }),
    contractedCost: usd.nullable().meta({ description: 'At prices by contract; the cost itself where none is known' }),
    uncertainUpTo: usd.optional(),
    batchRequests: count.optional().meta({ description: 'Requests of a batch; absent = not known, or no batch' }),
    settleProblem: z
      .string()
      .optional()
      .meta({ description: 'Why the provider could not yet be asked what an open call cost; absent = no problem' }),
    listPrice: usd
      .nullable()
      .optional()
      .meta({ description: "What a call that the client's subscription covers would cost; null = unknown" }),
    costSource: z.enum(PROVENANCES).nullable().meta({
      description:
        "price = usage times price; report = from the provider report; provider = from the provider's response; subscription = the client's subscription covers it; null = unknown, or not charged",
    }),
    priceVersion: z.string().nullable().meta({ description: 'Version of the prices behind the cost; null = none' }),
    requestId: z.string().nullable(),
    responseId: z.string().nullable(),
    observedBy: z
      .array(z.enum(OBSERVED_SOURCES))
      .optional()
      .meta({ description: 'Other sources that reported the call; absent = none' }),
    /** SHA-256 of the source and the assistant's session id, hex; null = no session id. */
    sessionHash: z.string().nullable(),
    session: z
      .string()
      .nullable()
      .meta({ description: 'Name that the client gave its session, else `sessionHash`; null = none' }),
    agent: z.string().nullable().meta({ description: 'Agent within the session; null = the main agent' }),
    parentAgent: z.string().nullable().meta({ description: 'Agent that started this one; null = the main agent' }),
    run: z.string().nullable().meta({ description: 'Run of a job, or id of the prompt that the call serves' }),
    requestClass: z
      .string()
      .nullable()
      .meta({ description: "Kind of work in the client's words, for instance main or subagent" }),
  })
  .meta({ id: 'Entry' });
export type EntryShape = z.output<typeof entry>;

export const entriesPage = z
  .object({
    entries: z.array(entry),
    refusals: z
      .array(refusal)
      .optional()
      .meta({ description: 'The refused call with the id of `find`; absent = none' }),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'EntriesPage' });
export type EntriesPage = z.output<typeof entriesPage>;

const priceLine = z.object({
  model: z.string(),
  item: z.enum([...TOKEN_CLASSES, ...FEE_CLASSES]),
  count,
  unitUsd: usd.meta({ description: 'Price of one token or use, before the multiplier' }),
  multiplier: z.number(),
  usd,
});

export const entryDetail = entry
  .extend({
    keyName: z.string().nullable().meta({ description: 'null = not called with a wrapped key of this workspace' }),
    explanation: z.string().meta({ description: 'Source of the cost as a sentence' }),
    lines: z
      .array(priceLine)
      .meta({ description: 'Lines that add up to the cost; empty if it does not come from prices' }),
    priceSources: z.array(z.string()).meta({ description: 'Sources of the prices' }),
    adjustments: z.array(
      z.object({ recordedAt: time, costBefore: usd.nullable(), costAfter: usd.nullable(), reason: z.string() }),
    ),
    observations: z
      .array(observedCall)
      .meta({ description: 'Reports of the call by telemetry and usage events; they add nothing to its cost' }),
    limits: z
      .array(
        z.object({
          id: z.string().nullable().meta({ description: 'null = the limit was deleted, or has another scope now' }),
          label: z.string().nullable(),
          scope: z.string().nullable().meta({ description: 'Scope in words; null = the limit was deleted' }),
          action: z.enum(LIMIT_ACTIONS).nullable(),
          window: z.enum(LIMIT_WINDOWS).nullable(),
          unit: z.enum(LIMIT_UNITS),
          windowStart: time.nullable().meta({ description: 'null = the window never ends' }),
          value: z.string().nullable().meta({ description: 'Value of the tag, if the limit counts each value apart' }),
          held: z.number().meta({ description: 'Hold of the call, in the unit; dollars for `usd`' }),
          counted: z.number().meta({ description: 'Counted amount after the call ended, including corrections' }),
          uncertain: z
            .number()
            .meta({ description: 'Part of the counted amount that the provider may not have charged' }),
        }),
      )
      .meta({ description: 'Limits that counted the call' }),
  })
  .meta({ id: 'EntryDetail' });
export type EntryDetail = z.output<typeof entryDetail>;
