import { z } from 'zod';
import { JOIN_KINDS } from '../domain/observed/join-calls.ts';
import { ASSISTANTS, OBSERVED_SOURCES, SIGNALS } from '../domain/observed/observed-call.ts';
import { RECORD_MODEL, RECORD_TOKENS_MAX } from '../domain/sessions/session-record.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { count, tags, time, usd } from './fields.ts';

/** A call as telemetry or a usage event reports it. */
export const observedCall = z
  .object({
    id: z.string().meta({ description: 'Id of this report of the call' }),
    source: z.enum(OBSERVED_SOURCES),
    signal: z
      .enum(SIGNALS)
      .meta({ description: 'Kind of report: a usage event, or a log record or span of telemetry' }),
    assistant: z.enum(ASSISTANTS).nullable().meta({ description: 'null = not a coding assistant' }),
    tokenId: z.string().meta({ description: 'Access token that reported it' }),
    provider: z.string(),
    model: z.string(),
    startedAt: time,
    endedAt: time,
    recordedAt: time,
    session: z.string().nullable(),
    agent: z.string().nullable(),
    run: z.string().nullable(),
    requestClass: z.string().nullable(),
    tags,
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheCreationTokens: count,
    cost: usd.nullable().meta({ description: 'Cost of the call; null = unknown' }),
    uncertainUpTo: usd.optional(),
    state: z.enum(['counted', 'joined', 'repeated']).meta({
      description:
        'counted = in summaries; joined = a call of the gateway, which has the figures; repeated = another report of the call has the figures',
    }),
    figuresOf: z.string().nullable().meta({ description: 'Entry or report that has the figures; null = this one has' }),
    joinedBy: z.enum(JOIN_KINDS).nullable().meta({
      description: 'Sign by which it is a call of the gateway: an id of the provider, the id of the call, or its usage',
    }),
    possibleDuplicates: z
      .array(z.string())
      .meta({ description: 'Entries that may be the same call; both are counted' }),
    adjustments: z.array(
      z.object({ recordedAt: time, costBefore: usd.nullable(), costAfter: usd.nullable(), reason: z.string() }),
    ),
  })
  .meta({ id: 'ObservedCall' });
export type ObservedCallShape = z.output<typeof observedCall>;

export const observedCallsPage = z
  .object({ calls: z.array(observedCall), nextCursor: z.string().nullable() })
  .meta({ id: 'ObservedCallsPage' });

const reported = count.nullable();

/** Counts of outcomes; null = the assistant reported none. */
export const outcomeCounts = z.object({
  commits: reported,
  pullRequests: reported,
  linesAdded: reported,
  linesRemoved: reported,
});
export type OutcomeCounts = z.output<typeof outcomeCounts>;

/** Outcomes by day. */
export const observedOutcomes = z
  .object({
    outcomes: z.array(
      z.object({
        day: z.iso.date().meta({ description: 'Day in UTC' }),
        tokenId: z.string().meta({ description: 'Access token that reported it; it names the person' }),
        assistant: z.enum(ASSISTANTS),
        session: z.string().nullable().meta({ description: 'Hash of the session; null = not known, or not asked for' }),
        ...outcomeCounts.shape,
        metricInputTokens: reported.meta({
          description: 'Tokens by the assistant’s metrics, to compare with its calls; never counted',
        }),
        metricOutputTokens: reported,
      }),
    ),
  })
  .meta({ id: 'ObservedOutcomes' });
export type OutcomeShape = z.output<typeof observedOutcomes>['outcomes'][number];

const EVENTS_MAX = 1_000;
const tokens = z.int().min(0).max(RECORD_TOKENS_MAX).optional();
const id = z.string().min(1).max(200);

/** One call that a program reports itself. */
const usageEvent = z
  .strictObject({
    id: id.meta({ description: 'Your id of the call; an event with a known id changes nothing' }),
    time: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' })
      .meta({ description: 'Start of the call; at most 30 days ago' }),
    durationMs: z.int().min(0).max(DAY_MS).optional(),
    provider: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be the id of a provider, such as openai')
      .meta({ description: 'Provider under whose prices the model is' }),
    model: z.string().regex(RECORD_MODEL, 'must be a model name of at most 128 letters, digits and .:@/()[]+-_'),
    inputTokens: tokens.meta({ description: 'Uncached' }),
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheCreationTokens: tokens,
    cacheCreation1hTokens: tokens.meta({ description: 'Part of cacheCreationTokens that is cached for an hour' }),
    webSearches: z.int().min(0).max(1_000).optional(),
    costUsd: z
      .union([z.number(), z.string()])
      .optional()
      .meta({ description: 'US dollars; absent = tokens times price' }),
    tags: tags.optional(),
    session: id.optional(),
    agent: id.optional(),
    run: id.optional(),
    requestId: id.optional().meta({ description: "The provider's id of the request" }),
    responseId: id.optional().meta({ description: "The provider's id of the response" }),
    callId: id
      .optional()
      .meta({ description: 'The response header x-svc-call-id, if the call went through the gateway' }),
  })
  .meta({ id: 'UsageEvent' });
export type UsageEvent = z.output<typeof usageEvent>;

export const usageEvents = z.strictObject({ events: z.array(usageEvent).min(1).max(EVENTS_MAX) });

export const usageEventsResult = z
  .object({
    events: count,
    stored: count,
    known: count.meta({ description: 'Events whose id was known, and that changed nothing' }),
  })
  .meta({ id: 'UsageEventsResult' });
