import { Button } from '@mantine/core';
import type { ReactNode } from 'react';

interface CallPagerProps {
  readonly cursor: string | undefined;
  /** Start of the next page; null = this is the last page. */
  readonly next: string | null;
  readonly onMove: (cursor: string | undefined) => void;
}

export function CallPager({ cursor, next, onMove }: CallPagerProps): ReactNode {
  if (cursor === undefined && next === null) return null;
  return (
    <nav className="row" aria-label="Pages of calls">
      {cursor !== undefined && (
        <Button variant="default" onClick={() => onMove(undefined)}>
          Newest
        </Button>
      )}
      {next !== null && (
        <Button variant="default" onClick={() => onMove(next)}>
          Older
        </Button>
      )}
    </nav>
  );
}
