import type { comparedQuery } from '../../contract/routes/usage.ts';
import { type Period, readPeriod } from '../../domain/time/period.ts';
import { endpoint } from '../http/endpoint.ts';
import { explainChange } from './explain-change.ts';
import { usageParts, type UsageServices } from './usage-rows.ts';
import type { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';

/** Returns the comparison period. Default: the same length right before. */
function comparison(query: z.output<typeof comparedQuery>, { start, end }: Period): Period {
  return readComparison(query) ?? { start: Math.max(0, start - (end - start)), end: start };
}

/** Reads the requested comparison period; null = none. */
export function readComparison({ compareStartDate, compareEndDate }: z.output<typeof comparedQuery>): Period | null {
  if ((compareStartDate === undefined) !== (compareEndDate === undefined))
    throw new TollbookError(
      'invalid',
      'Only one of compareStartDate and compareEndDate is given. Give both or neither.',
      'compareStartDate',
    );
  return compareStartDate === undefined ? null : readPeriod(compareStartDate, compareEndDate, 0);
}

export const changes = endpoint('GET /api/mcp/usage/changes', async ({ caller, query }, services: UsageServices) => {
  const period = readPeriod(query.startDate, query.endDate, services.clock());
  const parts = await usageParts(services, caller.workspaceId);
  return explainChange(
    { ...parts, records: services.records },
    { period, comparedWith: comparison(query, period), partsMax: query.limit, than: 'in the period before' },
  );
});
