import { z } from 'zod';

export const ownWorkspace = z
  .object({
    id: z.string(),
    name: z.string(),
    timeZone: z.string().meta({ description: 'IANA name; the tools use days, weeks and months of this zone' }),
  })
  .meta({ id: 'OwnWorkspace' });
