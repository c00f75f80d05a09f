import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { StateBadge } from '../../shared/theme/state-badge.tsx';

const COLORS = { critical: 'red', warning: 'yellow', info: 'gray' } as const;

export function SeverityBadge({ of }: { readonly of: Pick<AlertShape, 'severity'> }): ReactNode {
  return <StateBadge color={COLORS[of.severity]}>{of.severity}</StateBadge>;
}
