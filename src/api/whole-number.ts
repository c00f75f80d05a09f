import { z } from 'zod';

/** A whole number in a query, where everything is text. `1e2`, `0x10`, ` 5` and `` are none. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', pattern: undefined, minimum: min, maximum: max });
}
