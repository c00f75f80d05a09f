import { WindowClock } from '../limits/window-clock.ts';
import type { Clock, Uptime } from '../lib/clock.ts';

/**
 * The time for jobs that delete or release what is old. As ledger time it believes a step forward of the wall clock
 * only once it has stood for a while, and the gate tells of that; unlike it, it never stands ahead of the wall clock:
 * what is kept too long goes later.
 */
export function jobClock(wall: Clock, uptime: Uptime): Clock {
  const ledgerTime = new WindowClock({ wall, uptime, from: 0, stepped: () => {} });
  return () => Math.min(wall(), ledgerTime.now());
}
