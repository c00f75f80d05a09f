import { z } from 'zod';

/** Shapes of what the tools ask for beside reports; see `contract.ts`. */

export const ownWorkspace = z
  .object({
    id: z.string(),
    name: z.string(),
    timeZone: z.string().meta({ description: 'IANA name; days, weeks and months of the tools are those of this zone' }),
  })
  .meta({ id: 'OwnWorkspace' });

export const anomalyReport = z
  .object({
    detecting: z
      .boolean()
      .meta({ description: 'false = nothing looks for anomalies, so that an empty list says nothing' }),
    message: z.string(),
    anomalies: z.array(z.record(z.string(), z.unknown())),
  })
  .meta({ id: 'AnomalyReport' });
