import type { UseQueryResult } from '@tanstack/react-query';
import type { RouteResponse } from '../../../../src/contract/routes.ts';
import { useRead } from '../../shared/api/use-api.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { useNow } from '../../shared/time/clock.ts';
import { choosePeriod, type PeriodChoice } from '../../shared/time/period.ts';

const DUPLICATES_SHOWN = 25;

/** Reads reported calls that are counted and may also be calls of the gateway, newest first. */
export function usePossibleDuplicates(
  choice: PeriodChoice,
): UseQueryResult<RouteResponse<'GET /api/mcp/observed-calls'>> {
  const query = { ...useDates(choice), possibleDuplicates: 'true', limit: DUPLICATES_SHOWN } as const;
  return useRead('GET /api/mcp/observed-calls', { query });
}

/** Returns the period as a query. */
function useDates(choice: PeriodChoice): { startDate: string; endDate: string | undefined } {
  const { timeZone } = useWorkspace();
  const { startDate, endDate } = choosePeriod(choice, useNow(), timeZone);
  return { startDate, endDate };
}
