import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useWorkspace } from '../session/session.ts';
import { MINUTE_MS } from '../../../../src/domain/time/units.ts';

/** Time zone for times of day; days of charts, limits and bills always use the workspace zone. */
type ClockChoice = 'workspace' | 'mine';

export function useClockChoice(): readonly [ClockChoice, (choice: ClockChoice) => void] {
  const [choice, choose] = useLocalStorage<ClockChoice>({ key: 'tollbook-clock', defaultValue: 'workspace' });
  return [choice === 'mine' ? 'mine' : 'workspace', choose];
}

/** Returns the IANA name of the zone for times of day. */
export function useZone(): string {
  const { timeZone } = useWorkspace();
  const [choice] = useClockChoice();
  return choice === 'mine' ? browserZone() : timeZone;
}

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns the current epoch milliseconds, updated every minute or at another interval. */
export function useNow(everyMs = MINUTE_MS): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const id = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(id);
  }, [everyMs]);
  return now;
}

/**
 * Moves `now` on to an instant that was just loaded. The clock may be as old as its interval, so an instant that is no
 * further ahead is not in the future. All are epoch milliseconds.
 */
export function catchUp(now: number, instant: number, everyMs: number): number {
  return instant > now && instant - now <= everyMs ? instant : now;
}
