import { z } from 'zod';
import { wholeNumber } from '../whole-number.ts';

const VALUES_DEFAULT = 20;
const VALUES_MAX = 100;

export const valuesQuery = z.object({
  values: wholeNumber(1, VALUES_MAX)
    .default(VALUES_DEFAULT)
    .meta({ description: `Of a limit on each value of a tag, so many are shown; default: ${VALUES_DEFAULT}` }),
});
