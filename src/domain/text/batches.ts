import { BATCHES } from '../usage/call.ts';
import { countNoun } from './counts.ts';

interface ShownCall {
  readonly operation: string;
  readonly uncertainReason: string | null;
  readonly batchRequests?: number | undefined;
}

/** Returns true while the results of a batch are not known. */
export function isUnsettledBatch({ operation, uncertainReason }: ShownCall): boolean {
  return operation === BATCHES && uncertainReason === 'background';
}

/** Returns true for a batch that was sent and is not open. */
export function isClosedBatch(call: ShownCall & { readonly outcome: string }): boolean {
  return call.operation === BATCHES && call.outcome === 'completed' && !isUnsettledBatch(call);
}

/** Returns true if a batch was settled, but for results that could not be read. */
export function isPartlyRead({ operation, uncertainReason }: ShownCall): boolean {
  return operation === BATCHES && uncertainReason === 'unreadable';
}

/** Returns the number of its requests as the end of a phrase: `, 100 requests`. */
export function batchSize({ batchRequests }: ShownCall): string {
  return batchRequests === undefined ? '' : `, ${countNoun(batchRequests, 'request')}`;
}
