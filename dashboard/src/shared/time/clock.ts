import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useWorkspace } from '../session/session.ts';

/** Whose clock times are shown: days of charts, limits and bills are always those of the workspace. */
type ClockChoice = 'workspace' | 'mine';

export function useClockChoice(): readonly [ClockChoice, (choice: ClockChoice) => void] {
  const [choice, choose] = useLocalStorage<ClockChoice>({ key: 'tollbook-clock', defaultValue: 'workspace' });
  return [choice === 'mine' ? 'mine' : 'workspace', choose];
}

/** IANA name of the zone in which times are shown. */
export function useZone(): string {
  const { timeZone } = useWorkspace();
  const [choice] = useClockChoice();
  return choice === 'mine' ? browserZone() : timeZone;
}

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Epoch milliseconds, renewed every so often, for what tells how long ago something was. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const id = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(id);
  }, [everyMs]);
  return now;
}
