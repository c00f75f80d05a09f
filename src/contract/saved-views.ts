import { z } from 'zod';
import { etag, time } from './fields.ts';

export const savedView = z
  .object({
    id: z.string(),
    name: z.string(),
    address: z.string().meta({ description: 'Page of the dashboard with its filters: /explore?by=key' }),
    createdAt: time,
    etag,
  })
  .meta({ id: 'SavedView' });
export type SavedViewShape = z.output<typeof savedView>;

export const savedViewInput = z.strictObject({ name: z.string(), address: z.string() });
