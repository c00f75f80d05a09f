import type { ReactNode } from 'react';
import type { EntryShape } from '../../../../src/contract/usage.ts';
import { StateBadge } from '../../shared/ui/values.tsx';

export type CallOutcome = EntryShape['outcome'];

/** How a call ended, in words. */
export const OUTCOME_NAMES: Readonly<Record<CallOutcome, string>> = {
  completed: 'completed',
  failed: 'failed',
  broken: 'broken off',
  client_left: 'client left',
  lost: 'lost in a crash',
  not_sent: 'not sent',
};

/** How a call ended, with the provider's status where it says more. */
export function OutcomeBadge({ call }: { readonly call: Pick<EntryShape, 'outcome' | 'status'> }): ReactNode {
  const { outcome, status } = call;
  const color = outcome === 'completed' ? 'teal' : outcome === 'failed' || outcome === 'broken' ? 'red' : 'gray';
  return (
    <StateBadge color={color}>
      {OUTCOME_NAMES[outcome]}
      {outcome === 'failed' && status > 0 && ` ${status}`}
    </StateBadge>
  );
}
