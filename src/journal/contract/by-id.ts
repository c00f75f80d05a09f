import type { CallBegin, CallEnd } from '../../domain/usage/call.ts';
import type { Usage } from '../../domain/usage/usage.ts';
import type { CommitCallback, Journal, JournaledCall } from '../journal.ts';

interface ById {
  begin(call: CallBegin, committed: CommitCallback): void;
  note(callId: string, usage: Usage): void;
  end(end: CallEnd, committed: CommitCallback): void;
}

const handed = new WeakMap<Journal, Map<string, JournaledCall>>();

/** Wraps a journal so that tests name calls by their ids. */
export function byId(journal: Journal): ById {
  const calls = handed.get(journal) ?? new Map<string, JournaledCall>();
  handed.set(journal, calls);
  const call = (callId: string): JournaledCall => calls.get(callId) ?? { callId };
  return {
    begin: (begun, committed) => void calls.set(begun.callId, journal.begin(begun, committed)),
    note: (callId, usage) => journal.note(call(callId), usage),
    end: (end, committed) => journal.end(call(end.callId), end, committed),
  };
}
