import { Badge } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { catchUp, useNow, useZone } from '../time/clock.ts';
import { centDollars, exactDollars, shortDollars, type UsdRounding } from '../../../../src/domain/text/money.ts';
import { formatCount, shortCount } from '../../../../src/domain/text/counts.ts';
import { describeAgo } from '../../../../src/domain/text/durations.ts';
import { formatSeconds } from '../../../../src/domain/text/dates.ts';

/** An amount of dollars, with the exact one in the title; null = unknown. */
export function Money({ usd, rounding }: { readonly usd: number | null; readonly rounding?: UsdRounding }): ReactNode {
  return (
    <data className={usd === null ? 'figure soft' : 'figure'} value={usd ?? ''} title={exactDollars(usd)}>
      {shortDollars(usd, rounding)}
    </data>
  );
}

/** An amount of dollars in cents, for a column of large ones, with the exact one in the title; null = unknown. */
export function Cents({ usd }: { readonly usd: number | null }): ReactNode {
  return (
    <data className={usd === null ? 'figure soft' : 'figure'} value={usd ?? ''} title={exactDollars(usd)}>
      {usd === null ? 'unknown' : centDollars(usd)}
    </data>
  );
}

/** A count, with the exact one in the title. */
export function Count({ of, unit = '' }: { readonly of: number; readonly unit?: string }): ReactNode {
  return (
    <data className="figure" value={of} title={`${formatCount(of)} ${unit}`.trim()}>
      {shortCount(of)}
    </data>
  );
}

/** Tags as `key=value`. Long ones are truncated, with the whole text in the title. */
export function TagList({ tags }: { readonly tags: Readonly<Record<string, string>> }): ReactNode {
  return Object.entries(tags).map(([key, value]) => (
    <Badge key={key} variant="light" color="gray" tt="none" fw={500} mr={4} title={`${key}=${value}`}>
      {key}={value}
    </Badge>
  ));
}

export function tagTexts(tags: Readonly<Record<string, string>>): string[] {
  return Object.entries(tags).map(([key, value]) => `${key}=${value}`);
}

/** The first tag, and how many more there are. */
export function FirstTag({ tags }: { readonly tags: Readonly<Record<string, string>> }): ReactNode {
  const texts = tagTexts(tags);
  const [first, ...others] = texts;
  if (first === undefined) return null;
  return (
    <span className="named" title={texts.join('\n')}>
      <Badge variant="light" color="gray" tt="none" fw={500} w="max-content" maw="9.5rem">
        {first}
      </Badge>
      {others.length > 0 && <span className="soft">+{others.length}</span>}
    </span>
  );
}

/** Parts of an address or name; a line may break between them. */
const PARTS = /@?[^@:/_.=-]*[:/_.=-]|@?[^@:/_.=-]+|@/gu;

/** Text without spaces that may break between its parts. */
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
  readonly title?: string;
  readonly children: ReactNode;
}

/** A state in one or two words. The color only repeats the text. */
export function StateBadge({ color, title, children }: StateBadgeProps): ReactNode {
  return (
    <Badge variant="light" color={color} tt="none" fw={560} miw="max-content" title={title}>
      {children}
    </Badge>
  );
}

const AGO_EVERY_MS = 15_000;

interface InstantProps {
  /** ISO 8601 */
  readonly at: string;
}

/** A time in the chosen zone, with the exact UTC time in the title. */
export function Instant({ at }: InstantProps): ReactNode {
  const zone = useZone();
  return (
    <time dateTime={at} title={`${new Date(at).toISOString()} (shown in ${zone})`}>
      {formatSeconds(at, zone)}
    </time>
  );
}

/** A relative time, kept up to date. */
export function Ago({ at }: InstantProps): ReactNode {
  const zone = useZone();
  const now = catchUp(useNow(AGO_EVERY_MS), Date.parse(at), AGO_EVERY_MS);
  return (
    <time dateTime={at} title={`${formatSeconds(at, zone)} in ${zone}`}>
      {describeAgo(at, now)}
    </time>
  );
}
