import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { PAGE_SIZE } from './use-alerts.ts';

interface AlertPagerProps {
  readonly alerts: readonly AlertShape[];
  readonly before: string | undefined;
  readonly onMove: (before: string | undefined) => void;
}

export function AlertPager({ alerts, before, onMove }: AlertPagerProps): ReactNode {
  const last = alerts.at(-1);
  const hasOlder = alerts.length === PAGE_SIZE && last !== undefined;
  if (before === undefined && !hasOlder) return null;
  return (
    <nav className="row" aria-label="Pages of alerts">
      {before !== undefined && (
        <Button variant="default" onClick={() => onMove(undefined)}>
          Newest
        </Button>
      )}
      {hasOlder && (
        <Button variant="default" onClick={() => onMove(last.id)}>
          Older
        </Button>
      )}
    </nav>
  );
}
