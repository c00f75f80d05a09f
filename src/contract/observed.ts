import { z } from 'zod';
import { JOIN_KINDS } from '../domain/observed/join-calls.ts';
import { ASSISTANTS, OBSERVED_SOURCES, SIGNALS } from '../domain/observed/observed-call.ts';
import { count, tags, time, usd } from './fields.ts';

/** A call as telemetry or a usage event reports it. */
const observedCall = z
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
