import { Button } from '@mantine/core';
import type { ReactNode } from 'react';

interface RowButtonProps {
  /** What it does, in a word. */
  readonly deed: string;
  /** To which row, for who doesn't see in which it stands. */
  readonly of: string;
  readonly onClick: () => void;
}

/** What can be done with one row of a table. */
export function RowButton({ deed, of, onClick }: RowButtonProps): ReactNode {
  return (
    <Button size="xs" variant="default" onClick={onClick} aria-label={`${deed} ${of}`}>
      {deed}
    </Button>
  );
}
