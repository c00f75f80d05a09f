import type { TollbookError } from '../domain/errors.ts';
import type { Journal } from './journal.ts';

/** Stands in for a journal that can't be opened: every call is refused with the reason, reports stay readable. */
export function refusingJournal(reason: TollbookError): Journal {
  return {
    journalId: '',
    endSeq: 0,
    trouble: reason.message,
    begin(call, committed) {
      setImmediate(committed, reason);
      return call;
    },
    note: () => {},
    end: (_call, _end, committed) => void setImmediate(committed, reason),
    shipped: () => {},
    close: () => {},
  };
}
