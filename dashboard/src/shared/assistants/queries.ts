import type { UseQueryResult } from '@tanstack/react-query';
import type { AssistantUsage } from '../../../../src/contract/assistants.ts';
import type { RouteRequest } from '../../../../src/contract/routes.ts';
import type { PeriodStep } from '../../../../src/domain/time/period.ts';
import { MINUTE_MS } from '../../../../src/domain/time/units.ts';
import { useRead } from '../api/use-api.ts';
import { useWorkspace } from '../session/session.ts';
import { useNow } from '../time/clock.ts';
import { choosePeriod, chooseStep, type PeriodChoice } from '../time/period.ts';

type AssistantQuery = NonNullable<RouteRequest<'GET /api/mcp/assistants'>['query']>;
type AssistantOptions = Omit<AssistantQuery, 'startDate' | 'endDate' | 'step'>;

const READ_EVERY_MS = MINUTE_MS;

/** Reads usage of assistants in a period, in the zone of the workspace. */
export function useAssistantUsage(choice: PeriodChoice, options: AssistantOptions): UseQueryResult<AssistantUsage> {
  const { timeZone } = useWorkspace();
  const { startDate, endDate, days } = choosePeriod(choice, useNow(), timeZone);
  return useRead('GET /api/mcp/assistants', {
    query: { ...options, startDate, endDate, step: wholeHours(chooseStep(days)) },
    // Uploads and telemetry have no live event, and sums by session are too expensive for each call.
    everyMs: READ_EVERY_MS,
  });
}

/** Usage is known by the hour. */
function wholeHours(step: PeriodStep): NonNullable<AssistantQuery['step']> {
  return step === 'minute' || step === 'ten_minutes' ? 'hour' : step;
}
