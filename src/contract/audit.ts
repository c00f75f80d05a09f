import { z } from 'zod';
import { time } from './fields.ts';

export const auditPage = z
  .object({
    rows: z.array(
      z.object({
        seq: z.int(),
        at: time,
        actor: z.string(),
        actorName: z.string().nullable().meta({ description: 'Name of the person or token' }),
        action: z.string(),
        subject: z.string(),
        before: z.record(z.string(), z.unknown()).nullable(),
        after: z.record(z.string(), z.unknown()).nullable(),
        hash: z.string(),
      }),
    ),
    nextCursor: z.int().nullable().meta({ description: 'Pass as `before` for older rows' }),
  })
  .meta({ id: 'AuditPage' });
export type AuditPage = z.output<typeof auditPage>;
