import { z } from 'zod';

export const errorShape = z
  .object({
    error: z.string().meta({ description: 'A sentence: what happened and what to do' }),
    type: z.string(),
    param: z.string().optional(),
    requestId: z.string(),
  })
  .meta({ id: 'Error' });
export type ErrorShape = z.output<typeof errorShape>;
