import { type NamedPeriod, namedPeriod, readPeriod, toIso } from '../domain/time/period.ts';
import type { ToolContext } from './tool.ts';

export interface AskedPeriod {
  readonly period?: NamedPeriod;
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

/** Instants for the service, so that both sides mean the same days. Dates win over a named period. */
export async function askedPeriod(
  { period = 'last_30d', startDate, endDate }: AskedPeriod,
  { clock, timeZone }: Pick<ToolContext, 'clock' | 'timeZone'>,
): Promise<{ readonly startDate: string; readonly endDate: string }> {
  const now = clock();
  const dated = startDate !== undefined || endDate !== undefined;
  const named = period === 'today' || period === 'yesterday';
  const { start, end } = dated
    ? readPeriod(startDate, endDate, now)
    : namedPeriod(period, now, named ? await timeZone() : 'UTC');
  return { startDate: toIso(start), endDate: toIso(end) };
}
