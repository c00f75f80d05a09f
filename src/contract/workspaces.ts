import { z } from 'zod';
import { etag, time } from './fields.ts';

export const workspace = z
  .object({ id: z.string(), name: z.string(), timeZone: z.string(), retentionDays: z.int(), createdAt: time, etag })
  .meta({ id: 'Workspace' });
export type WorkspaceShape = z.output<typeof workspace>;

export const ownWorkspace = z
  .object({
    id: z.string(),
    name: z.string(),
    timeZone: z.string().meta({ description: 'IANA name; the tools use days, weeks and months of this zone' }),
  })
  .meta({ id: 'OwnWorkspace' });
