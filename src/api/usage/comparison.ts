import { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';
import { type Period, readPeriod } from '../../domain/time/period.ts';

/** Another period that one is compared with. */
export const comparedQuery = z.object({
  compareStartDate: z.string().optional().meta({ description: 'ISO 8601; another period to compare with' }),
  compareEndDate: z.string().optional().meta({ description: 'ISO 8601' }),
});

/** By default the time of the same length right before. */
export function comparison(query: z.output<typeof comparedQuery>, { start, end }: Period): Period {
  return readComparison(query) ?? { start: Math.max(0, start - (end - start)), end: start };
}

/** null = nothing is asked for. */
export function readComparison({ compareStartDate, compareEndDate }: z.output<typeof comparedQuery>): Period | null {
  if ((compareStartDate === undefined) !== (compareEndDate === undefined))
    throw new TollbookError('invalid', 'compareStartDate and compareEndDate belong together.', 'compareStartDate');
  return compareStartDate === undefined ? null : readPeriod(compareStartDate, compareEndDate, 0);
}
