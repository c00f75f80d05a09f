import { z } from 'zod';
import { outsideUsage } from './assistants.ts';
import { count, time, usd } from './fields.ts';
import { uncertaintyShape, unpricedShape } from './uncertainty.ts';

const sums = z.object({
  calls: count,
  failedCalls: count,
  cost: usd,
  inputTokens: count.meta({ description: 'Uncached, cache reads and cache writes' }),
  cacheReadTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  ...uncertaintyShape,
});

const spanShape = {
  firstCallAt: time.meta({ description: 'Start of the first call; without calls, of the first usage' }),
  lastCallAt: time.meta({ description: 'End of the last call' }),
};

export const sessionList = z
  .object({
    period: z.object({ start: time, end: time }),
    from: time.meta({
      description: 'Start of the calls that were read; that of the period, or later if there are more',
    }),
    isComplete: z.boolean().meta({
      description: 'false = the period has more calls or sessions than are read; older ones are not in the sums',
    }),
    total: count.meta({ description: 'Sessions since `from`, including those not in the list' }),
    sessions: z.array(
      sums.extend({
        session: z.string(),
        agents: count.meta({ description: 'Agents with calls, without the main agent' }),
        ...spanShape,
      }),
    ),
  })
  .meta({ id: 'SessionList' });
export type SessionList = z.output<typeof sessionList>;

const sharePart = z.object({ value: z.string(), calls: count, cost: usd, ...uncertaintyShape });

export const sessionDetail = z
  .object({
    session: z.string(),
    ...spanShape,
    total: sums.meta({ description: 'Calls through the gateway' }),
    agents: z
      .array(
        z.object({
          agent: z.string().nullable().meta({ description: 'null = the main agent' }),
          parentAgent: z.string().nullable().meta({ description: 'null = the main agent' }),
          depth: count.meta({ description: '0 = the main agent' }),
          own: sums,
          withDescendants: sums.meta({ description: 'Calls of the agent and of all agents below it' }),
          models: z.array(z.string()),
          requestClasses: z.array(z.string()),
          firstCallAt: time.nullable().meta({ description: 'null = only agents below it made calls' }),
          lastCallAt: time.nullable(),
        }),
      )
      .meta({ description: 'Tree of agents: each follows its parent' }),
    agentsLeftOut: count.meta({ description: 'Agents beyond `limit`; the sums of their ancestors contain them' }),
    models: z.array(sharePart).meta({ description: 'Highest cost first' }),
    runs: z.array(sharePart.extend(spanShape)).meta({ description: 'Runs, newest first' }),
    runsLeftOut: count,
    keys: z.array(sharePart.extend({ name: z.string() })),
    assistantSession: z
      .object({
        hash: z.string().meta({ description: '`sessionHash` of its calls, and `sessionId` of synced records' }),
        synced: z
          .object({
            calls: count,
            cost: usd,
            inputTokens: count,
            outputTokens: count,
            ...unpricedShape,
          })
          .nullable()
          .meta({
            description: 'Usage in its synced file beyond its calls through the gateway; null = no file was synced',
          }),
      })
      .nullable()
      .meta({ description: 'Session of Claude Code or Codex to which the calls belong; null = none' }),
    outside: outsideUsage.nullable().meta({
      description: 'Usage of the session outside the gateway, from its synced file and telemetry; null = none',
    }),
  })
  .meta({ id: 'SessionDetail' });
export type SessionDetail = z.output<typeof sessionDetail>;
