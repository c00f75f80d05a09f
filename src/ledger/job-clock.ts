import { WindowClock } from '../limits/window-clock.ts';
import type { Clock, Uptime } from '../lib/clock.ts';

/**
 * Returns the clock of jobs that delete or release old data. Like ledger time, it accepts a forward step of the wall
 * clock only after a while. It is never ahead of the wall clock: deleting late is safe.
 */
export function jobClock(wall: Clock, uptime: Uptime): Clock {
  const ledgerTime = new WindowClock({ wall, uptime, from: 0, stepped: () => {} });
  return () => Math.min(wall(), ledgerTime.now());
}
