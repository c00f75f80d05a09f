import { z } from 'zod';

export const ownWorkspace = z
  .object({
    id: z.string(),
    name: z.string(),
    timeZone: z.string().meta({ description: 'IANA name; days, weeks and months of the tools are those of this zone' }),
  })
  .meta({ id: 'OwnWorkspace' });
