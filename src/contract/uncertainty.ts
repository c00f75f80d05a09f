import { z } from 'zod';
import { count } from './fields.ts';

/** Fields about usage that a sum of costs leaves out; each is present if it is not 0. */
export const unpricedShape = {
  unpricedCalls: count.optional().meta({ description: 'Calls whose model has no price; not in the cost' }),
  unpricedUsage: z
    .boolean()
    .optional()
    .meta({ description: 'true = some usage without a number of calls has no price and is not in the cost' }),
};

/** Fields about the uncertainty of a sum of costs; each is present if it is not 0. */
export const uncertaintyShape = {
  ...unpricedShape,
  uncertainCalls: count.optional().meta({ description: 'Calls with uncertain cost' }),
  uncertainUpTo: z
    .number()
    .optional()
    .meta({ description: 'US dollars that uncertain calls may have cost in addition' }),
};
