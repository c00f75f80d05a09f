import { z } from 'zod';

/** Shape of the digest of a week; see `contract.ts`. */
export const digest = z
  .object({
    id: z.string().meta({ description: 'The same for every webhook, another one each week' }),
    title: z.string(),
    message: z.string(),
    facts: z.array(z.object({ name: z.string(), value: z.string() })),
    data: z.record(z.string(), z.unknown()).meta({ description: 'The same in figures' }),
  })
  .meta({ id: 'Digest' });
export type DigestShape = z.output<typeof digest>;
