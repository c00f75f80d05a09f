import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { countNoun } from '../../../../src/domain/text/counts.ts';

/** Rows that one request may ask for. */
const ROWS_MAX = 500;

interface ShownRows {
  /** Rows to ask for. */
  readonly limit: number;
  /** Asks for as many as one request may; null = it already does. */
  readonly showMore: (() => void) | null;
}

/** Starts with the first rows, and asks for more on request. */
export function useShownRows(first: number): ShownRows {
  const [limit, setLimit] = useState(first);
  return { limit, showMore: limit < ROWS_MAX ? () => setLimit(ROWS_MAX) : null };
}

interface MoreRowsProps extends Pick<ShownRows, 'showMore'> {
  /** Rows that are not shown. */
  readonly count: number;
  /** For example `session`. */
  readonly noun: string;
}

/** Says how many rows are not shown, with a button for them; nothing if there are none. */
export function MoreRows({ count, noun, showMore }: MoreRowsProps): ReactNode {
  if (count === 0) return null;
  const text = countNoun(count, `more ${noun}`);
  if (!showMore) return <p className="soft">{text}. Choose a shorter period or add a filter.</p>;
  return (
    <div className="row">
      <Button variant="default" mt="sm" onClick={showMore}>
        Show more
      </Button>
      <span className="soft">{text}</span>
    </div>
  );
}
