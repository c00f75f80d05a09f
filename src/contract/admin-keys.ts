import { z } from 'zod';

const time = z.string().meta({ format: 'date-time' });

export const adminKey = z
  .object({
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    organization: z
      .object({ id: z.string().nullable(), name: z.string().nullable() })
      .meta({ description: 'As the provider says; null = it does not say' }),
    sharedWithOtherWorkspaces: z.boolean().meta({
      description:
        'Another workspace here reads the same organization too: what did not pass the gate is in the sums of both',
    }),
    fingerprint: z.string().meta({ description: 'First 8 hex digits of its SHA-256' }),
    lastFour: z.string(),
    createdAt: time,
    state: z.enum(['syncing', 'idle', 'paused', 'failing']),
    pausedAt: time.nullable(),
    problem: z.string().nullable().meta({ description: 'What is wrong, and why it is paused' }),
    nextSyncAt: time.nullable().meta({ description: 'Nothing is asked before; null = it is paused' }),
    lastSyncAt: time.nullable().meta({ description: 'When usage and costs were last read; null = never' }),
    progress: z
      .object({ daysDone: z.number(), daysTotal: z.number() })
      .meta({ description: 'The newest days that were read of all its reports, of those asked for' }),
    throughGatewayShare: z.number().nullable().meta({
      description:
        'Of the organization’s spend in the last 30 days that change no more, what passed the gate, from 0 to 1; null = there was none',
    }),
  })
  .meta({ id: 'AdminKey' });
export type AdminKeyShape = z.output<typeof adminKey>;

export const askedSync = z.object({
  id: z.string(),
  started: z.boolean().meta({ description: 'false = no service runs; it is read when one does' }),
});
export type AskedSyncShape = z.output<typeof askedSync>;
