import { z } from 'zod';
import { ASSISTANTS } from '../domain/observed/observed-call.ts';
import { LOCAL_SOURCES } from '../domain/sessions/local-call.ts';
import { count, time, usd, wholeNumber } from './fields.ts';
import { planMoney } from './sync.ts';
import { outcomeCounts } from './observed.ts';
import { uncertaintyShape } from './uncertainty.ts';
import { periodQuery, usageSeries } from './usage.ts';

/** Properties by which usage of assistants is grouped. */
export const ASSISTANT_DIMENSIONS = ['assistant', 'person', 'credential', 'project', 'model'] as const;
export type AssistantDimension = (typeof ASSISTANT_DIMENSIONS)[number];

/** Steps of the series: usage is known by the hour. */
const ASSISTANT_STEPS = ['hour', 'day', 'week', 'month'] as const;

/** Value of a filter for usage without a value. */
export const NO_VALUE = '(none)';

/** Assistants whose usage is known from session files or telemetry. */
const ASSISTANT_NAMES = [...new Set([...LOCAL_SOURCES, ...ASSISTANTS])] as const;

const filter = z.object({
  assistant: z.enum(ASSISTANT_NAMES).optional(),
  person: z.string().optional().meta({ description: 'Id of a user, or of a token or key that no user created' }),
  credential: z.string().optional().meta({ description: 'Id of an access token or a wrapped key' }),
  project: z
    .string()
    .optional()
    .meta({ description: `Hash of a project; ${NO_VALUE} = not attributed` }),
  model: z.string().optional(),
  session: z
    .string()
    .optional()
    .meta({ description: `Name or hash of a session; ${NO_VALUE} = not attributed` }),
  covered: z.enum(['true', 'false']).optional().meta({ description: 'Covered by a subscription' }),
});

export const assistantQuery = periodQuery.extend({
  ...filter.shape,
  by: z.enum(ASSISTANT_DIMENSIONS).default('assistant').meta({ description: 'Property that the series is split by' }),
  step: z.enum(ASSISTANT_STEPS).default('day').meta({ description: 'Step of the series' }),
  sort: z.enum(['recent', 'cost']).default('recent').meta({ description: 'Order of sessions' }),
  limit: wholeNumber(1, 500).default(50).meta({ description: 'Most sessions; default: 50' }),
});

const sums = z.object({
  calls: count,
  callsUnknown: z.boolean().optional().meta({ description: 'Some usage has no number of calls' }),
  retailCost: usd.meta({ description: 'Cost at pay-as-you-go prices, with what a subscription covers' }),
  coveredCost: usd.meta({ description: 'The part that a subscription covers' }),
  inputTokens: count.meta({ description: 'Uncached, cache reads and cache writes' }),
  cacheReadTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  ...uncertaintyShape,
});
export type AssistantSums = z.output<typeof sums>;

/** Usage of a session outside the gateway. */
export const outsideUsage = sums.extend({
  assistant: z.string(),
  people: z.array(z.object({ value: z.string(), name: z.string() })),
  project: z.string().nullable().meta({ description: 'Hash of the project; null = not attributed' }),
  models: z.array(sums.extend({ value: z.string() })).meta({ description: 'Highest cost first' }),
  firstAt: time,
  lastAt: time.meta({ description: 'Latest known time; from session files to the hour' }),
});

const named = z.object({ value: z.string(), name: z.string() });
const outcomes = z.array(named.extend(outcomeCounts.shape));
const row = sums.extend({
  value: z.string().nullable().meta({ description: 'null = not attributed; (other) = the sum of all other values' }),
  name: z.string().nullable(),
});

const plans = z.object({
  ...planMoney,
  providers: z.array(z.object({ provider: z.string(), names: z.array(z.string()), ...planMoney })),
});

export const assistantUsage = z
  .object({
    period: z.object({ start: time, end: time }),
    timeZone: z.string(),
    from: time.meta({ description: 'Start of what was read: that of the period, or later if there is too much' }),
    isComplete: z.boolean().meta({ description: 'false = usage before `from` is not in the sums' }),
    total: sums,
    rows: z
      .record(z.enum(ASSISTANT_DIMENSIONS), z.array(row))
      .meta({ description: 'Sums by each property, highest cost first' }),
    series: usageSeries.meta({ description: 'Usage over time by `by`; its cost is the retail cost' }),
    sessions: z.array(
      sums.extend({
        session: z.string().nullable().meta({ description: 'null = usage that names no session' }),
        assistant: z.string(),
        people: z.array(named),
        project: z.string().nullable(),
        models: z.array(z.string()),
        firstAt: time,
        lastAt: time.meta({ description: 'Latest known time; from session files to the hour' }),
        outcomes: outcomeCounts.nullable().meta({ description: 'What the assistant counted; null = nothing' }),
      }),
    ),
    sessionsLeftOut: count,
    outcomes: z
      .object({
        assistant: outcomes,
        person: outcomes,
        noSession: outcomeCounts.nullable().meta({ description: 'Outcomes that name no session; null = none' }),
      })
      .nullable()
      .meta({
        description:
          'Outcomes that assistants count, of days (UTC) that begin in the period; null = the request filters by what they do not name',
      }),
    blocks: z
      .array(
        sums.extend({
          assistant: z.string(),
          person: named,
          start: time,
          end: time,
          isOpen: z.boolean().meta({ description: 'The block has not ended' }),
        }),
      )
      .meta({ description: 'Five hours of an assistant and a person from their first use on, newest first' }),
    blocksLeftOut: count,
    plans: plans.nullable().meta({
      description: 'Subscriptions of the workspace in the period; null = the request has a filter, or there are none',
    }),
    values: z
      .record(z.enum(ASSISTANT_DIMENSIONS), z.array(named))
      .meta({ description: 'Values in the period without the filter' }),
  })
  .meta({ id: 'AssistantUsage' });
export type AssistantUsage = z.output<typeof assistantUsage>;
