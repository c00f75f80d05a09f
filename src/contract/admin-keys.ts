import { z } from 'zod';
import { etag, time } from './fields.ts';

export const adminKey = z
  .object({
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    organization: z
      .object({ id: z.string().nullable(), name: z.string().nullable() })
      .meta({ description: 'From the provider; null = unknown' }),
    sharedWithOtherWorkspaces: z.boolean().meta({
      description:
        'Another workspace reads reports of the same organization. Its unproxied usage is in the sums of both',
    }),
    fingerprint: z.string().meta({ description: 'First 8 hex digits of its SHA-256' }),
    lastFour: z.string(),
    createdAt: time,
    state: z.enum(['syncing', 'idle', 'paused', 'failing']),
    pausedAt: time.nullable(),
    problem: z.string().nullable().meta({ description: 'The problem, and the reason for a pause' }),
    nextSyncAt: time.nullable().meta({ description: 'Time of the next report sync; null = paused' }),
    lastSyncAt: time.nullable().meta({ description: 'Time of the last report sync; null = never' }),
    progress: z
      .object({ daysDone: z.number(), daysTotal: z.number() })
      .meta({ description: 'Progress: days whose reports were all read, and requested days' }),
    throughGatewayShare: z.number().nullable().meta({
      description:
        'Share of the organization’s spend through the gateway in the last 30 final days, 0 to 1; null = no spend',
    }),
    etag,
  })
  .meta({ id: 'AdminKey' });
export type AdminKeyShape = z.output<typeof adminKey>;

export const askedSync = z.object({
  id: z.string(),
  started: z.boolean().meta({ description: 'false = the service is not running; the sync starts with it' }),
});
export type AskedSyncShape = z.output<typeof askedSync>;
