import { type Period, readPeriod } from '../../domain/time/period.ts';
import { usageChanges } from '../../contract/overview.ts';
import { periodQuery } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { wholeNumber } from '../fields.ts';
import { explainChange } from './explain-change.ts';
import { usageParts } from './usage-rows.ts';
import { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';

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

export const changes = endpoint({
  method: 'GET',
  path: '/api/mcp/usage/changes',
  summary: 'What changed between two periods, and which key, model or tag explains it',
  description:
    'The parts of each dimension and everything else come to the difference. Without dates to compare with: the time of the same length right before.',
  scope: 'usage:read',
  right: 'read',
  query: periodQuery.extend({
    ...comparedQuery.shape,
    limit: wholeNumber(1, 50).default(5).meta({ description: 'Parts of a dimension that are shown apart; default: 5' }),
  }),
  answer: usageChanges,
  async handle({ caller, query }, services) {
    const period = readPeriod(query.startDate, query.endDate, services.clock());
    const parts = await usageParts(services, caller.workspaceId);
    return explainChange(
      { ...parts, records: services.records },
      { period, comparedWith: comparison(query, period), partsMax: query.limit, than: 'in the period before' },
    );
  },
});
