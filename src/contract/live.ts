import { z } from 'zod';
import { SEVERITIES } from '../domain/alerts/alert.ts';

/** Events of `GET /api/live`: the name of each event with its data. */
export const liveEvents = z
  .object({
    open: z
      .object({
        heartbeatMs: z.int(),
        sinceLastEventMs: z.int().nullable().meta({
          description: 'How long ago the last event of the workspace was; null = none since the service began',
        }),
      })
      .meta({
        description: 'First of all: from here on nothing is missed. What was read before the last event may be old',
      }),
    heartbeat: z.object({ at: z.string() }).meta({ description: 'The stream is alive, and nothing else' }),
    recorded: z
      .object({ count: z.int(), ids: z.array(z.string()).meta({ description: 'The newest calls, newest first' }) })
      .meta({ description: 'Calls came into the book' }),
    alert: z
      .object({
        id: z.string(),
        change: z.enum(['raised', 'resolved', 'read']),
        severity: z.enum(SEVERITIES),
        title: z.string(),
      })
      .meta({ description: 'An alert was raised, is over or was read' }),
    limit: z
      .object({ id: z.string() })
      .meta({ description: 'A limit was made, changed or removed. What is left of limits changes with every call' }),
  })
  .meta({ id: 'LiveEvents' });
export type LiveEvents = z.output<typeof liveEvents>;
