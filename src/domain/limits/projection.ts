import type { CounterStatus } from './limit.ts';

/** With less than this part of a window behind it, one large call would say too much. */
const ELAPSED_LEAST = 0.05;

/**
 * What a window will have counted at its end if it goes on as it went so far, in the limit's unit. null = nobody can
 * say: the window never ends, is not open at this instant, or has only just begun.
 */
export function projectWindow(
  { counted, windowStart, windowEnd }: Pick<CounterStatus, 'counted' | 'windowStart' | 'windowEnd'>,
  at: number,
): number | null {
  if (windowEnd === null) return null;
  const elapsed = (at - windowStart) / (windowEnd - windowStart);
  if (!(elapsed >= ELAPSED_LEAST && elapsed <= 1)) return null;
  return Math.round(Number(counted) / elapsed);
}
