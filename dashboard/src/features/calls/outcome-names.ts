import type { EntryShape } from '../../../../src/contract/usage.ts';

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
