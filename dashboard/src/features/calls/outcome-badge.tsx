import type { ReactNode } from 'react';
import type { EntryShape } from '../../../../src/contract/entries.ts';
import { batchSize, isClosedBatch, isUnsettledBatch } from '../../../../src/domain/text/batches.ts';
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

type BadgeCall = Pick<
  EntryShape,
  'outcome' | 'status' | 'errorType' | 'operation' | 'uncertainReason' | 'batchRequests' | 'settleProblem'
>;

const OPEN_BATCH = 'Tollbook reads its results when it has ended.';
const CLOSED_BATCH = 'A batch whose results are read. Its corrections say how many requests succeeded.';

interface OutcomeBadgeProps {
  readonly call: BadgeCall;
  /** There is no room for long names. */
  readonly isShort?: boolean;
}

const SHORT_NAMES: Readonly<Record<CallOutcome, string>> = { ...OUTCOME_NAMES, client_left: 'Disconnected' };

/** Outcome of a call, with the provider's status for failed ones and the reason in the title. */
export function OutcomeBadge({ call, isShort = false }: OutcomeBadgeProps): ReactNode {
  if (isUnsettledBatch(call))
    return (
      <StateBadge color="yellow" title={call.settleProblem ?? OPEN_BATCH}>
        Open batch<span className="wide-only">{batchSize(call)}</span>
      </StateBadge>
    );
  if (isClosedBatch(call))
    return (
      <StateBadge color="teal" title={CLOSED_BATCH}>
        Batch<span className="wide-only">{batchSize(call)}</span>
      </StateBadge>
    );
  const { outcome, status, errorType } = call;
  const reason = [explainFailedCall(call), errorType].filter((part) => part !== null).join(' ');
  const color = outcome === 'completed' ? 'teal' : outcome === 'failed' || outcome === 'broken' ? 'red' : 'gray';
  return (
    <StateBadge color={color} title={reason}>
      {(isShort ? SHORT_NAMES : OUTCOME_NAMES)[outcome]}
      {outcome === 'failed' && status > 0 && ` ${status}`}
    </StateBadge>
  );
}
