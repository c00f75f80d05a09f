import type { ReactNode } from 'react';
import { exactTime, formatAgo, formatTime } from '../format/time.ts';
import { useNow } from '../time/use-now.ts';
import { useZone } from '../time/zone.ts';

const AGO_EVERY_MS = 15_000;

interface InstantProps {
  /** ISO 8601 */
  readonly at: string;
}

/** A time of day in the chosen zone; the exact one, in UTC, is in its title. */
export function Instant({ at }: InstantProps): ReactNode {
  const zone = useZone();
  return (
    <time dateTime={at} title={`${exactTime(at)} (shown in ${zone})`}>
      {formatTime(at, zone)}
    </time>
  );
}

/** How long ago it was, kept up to date. */
export function Ago({ at }: InstantProps): ReactNode {
  const zone = useZone();
  const now = useNow(AGO_EVERY_MS);
  return (
    <time dateTime={at} title={`${formatTime(at, zone)} in ${zone}`}>
      {formatAgo(at, now)}
    </time>
  );
}
