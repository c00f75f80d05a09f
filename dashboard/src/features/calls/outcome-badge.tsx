import type { ReactNode } from 'react';
import type { EntryShape } from '../../../../src/contract/entries.ts';
import { StateBadge } from '../../shared/ui/values.tsx';

export type CallOutcome = EntryShape['outcome'];

/** Outcomes of calls as shown. */
export const OUTCOME_NAMES: Readonly<Record<CallOutcome, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  broken: 'Interrupted',
  client_left: 'Client disconnected',
  lost: 'Lost in a crash',
  not_sent: 'Not sent',
};

/** Outcome of a call, with the provider's status for failed ones. */
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
