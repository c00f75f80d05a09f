import type { ReactNode } from 'react';
import type { EntryShape } from '../../../../src/contract/entries.ts';
import { explainFailedCall } from '../../../../src/domain/text/failures.ts';
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

/** Outcome of a call, with the provider's status for failed ones and the reason in the title. */
export function OutcomeBadge({
  call,
}: {
  readonly call: Pick<EntryShape, 'outcome' | 'status' | 'errorType'>;
}): ReactNode {
  const { outcome, status, errorType } = call;
  const reason = [explainFailedCall(call), errorType].filter((part) => part !== null).join(' ');
  const color = outcome === 'completed' ? 'teal' : outcome === 'failed' || outcome === 'broken' ? 'red' : 'gray';
  return (
    <StateBadge color={color} title={reason}>
      {OUTCOME_NAMES[outcome]}
      {outcome === 'failed' && status > 0 && ` ${status}`}
    </StateBadge>
  );
}
