import { z } from 'zod';

/** Shapes of what the tools ask for beside reports; see `contract.ts`. */

export const ownWorkspace = z
  .object({
    id: z.string(),
    name: z.string(),
    timeZone: z.string().meta({ description: 'IANA name; days, weeks and months of the tools are those of this zone' }),
  })
  .meta({ id: 'OwnWorkspace' });
