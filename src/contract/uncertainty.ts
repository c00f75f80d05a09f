import { z } from 'zod';

const count = z.int().min(0);

/** What a sum of costs leaves out; each appears when there is any. */
export const unpricedShape = {
  unpricedCalls: count.optional().meta({ description: 'Calls whose model has no price: not in the cost' }),
  unpricedUsage: z
    .boolean()
    .optional()
    .meta({ description: 'true = some usage without a number of calls has no price: it is not in the cost' }),
};

/** What a sum of costs leaves open; each appears when it is not 0. */
export const uncertaintyShape = {
  ...unpricedShape,
  uncertainCalls: count.optional().meta({ description: 'Calls of which nobody knows for sure what they cost' }),
  uncertainUpTo: z
    .number()
    .optional()
    .meta({ description: 'US dollars that uncertain calls may have cost beyond the cost shown' }),
};
