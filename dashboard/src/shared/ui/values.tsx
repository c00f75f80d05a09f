import { Badge } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { exactUsd, formatUsd } from '../format/money.ts';
import { exactCount, formatCount } from '../format/number.ts';
import { exactTime, formatAgo, formatTime } from '../format/time.ts';
import { useNow, useZone } from '../time/clock.ts';

/** An amount of dollars at a readable length; the exact one is in its title. null = unknown, and said so. */
export function Money({ usd }: { readonly usd: number | null }): ReactNode {
  return (
    <data className={usd === null ? 'figure soft' : 'figure'} value={usd ?? ''} title={exactUsd(usd)}>
      {formatUsd(usd)}
    </data>
  );
}

/** A number of things at a readable length; the exact one is in its title. */
export function Count({ of, unit = '' }: { readonly of: number; readonly unit?: string }): ReactNode {
  return (
    <data className="figure" value={of} title={`${exactCount(of)} ${unit}`.trim()}>
      {formatCount(of)}
    </data>
  );
}

/** Tags as `key=value`; whatever they hold is text. A long one is cut, and whole in its title. */
export function TagList({ tags }: { readonly tags: Readonly<Record<string, string>> }): ReactNode {
  return Object.entries(tags).map(([key, value]) => (
    <Badge key={key} variant="light" color="gray" tt="none" fw={500} mr={4} title={`${key}=${value}`}>
      {key}={value}
    </Badge>
  ));
}

/** An address or a name of parts reads on in the next line before @, and after what divides its parts. */
const PARTS = /@?[^@:/_.=-]*[:/_.=-]|@?[^@:/_.=-]+|@/gu;

/** Text without spaces, which breaks between its parts where it has to. */
export function Breakable({ text }: { readonly text: string }): ReactNode {
  return Array.from(text.matchAll(PARTS), ({ index, 0: part }) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

interface StateBadgeProps {
  readonly color: 'teal' | 'red' | 'yellow' | 'gray';
  readonly children: ReactNode;
}

/** A state in a word or two, which is never cut: the colour only repeats what it says. */
export function StateBadge({ color, children }: StateBadgeProps): ReactNode {
  return (
    <Badge variant="light" color={color} tt="none" fw={560} miw="max-content">
      {children}
    </Badge>
  );
}

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
