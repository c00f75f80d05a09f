import { z } from 'zod';
import { SEVERITIES } from '../domain/alerts/alert.ts';

/** Events of `GET /api/live`: the name of each event with its data. */
export const liveEvents = z
  .object({
    open: z
      .object({
        heartbeatMs: z.int(),
        sinceLastEventMs: z.int().nullable().meta({
          description: 'Milliseconds since the last event of the workspace; null = none since the service started',
        }),
      })
      .meta({
        description: 'First event: no later event is missed. Data read before the last event may be outdated',
      }),
    heartbeat: z.object({ at: z.string() }).meta({ description: 'Shows that the stream is alive' }),
    recorded: z
      .object({ count: z.int(), ids: z.array(z.string()).meta({ description: 'The newest calls, newest first' }) })
      .meta({ description: 'New entries were recorded' }),
    refused: z
      .object({ count: z.int().meta({ description: 'Number of calls' }) })
      .meta({ description: 'Calls that limits refused were recorded' }),
    alert: z
      .object({
        id: z.string(),
        change: z.enum(['raised', 'resolved', 'read']),
        severity: z.enum(SEVERITIES),
        title: z.string(),
      })
      .meta({ description: 'An alert was raised, resolved or read' }),
    limit: z
      .object({ id: z.string() })
      .meta({ description: 'A limit was created, changed or deleted. Calls that use up a limit send no such event' }),
  })
  .meta({ id: 'LiveEvents' });
export type LiveEvents = z.output<typeof liveEvents>;
