import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

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
