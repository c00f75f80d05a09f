import { type SessionParts, settleAll } from '../jobs/sessions.ts';
import type { Log } from '../lib/log.ts';
import type { EntryStore } from '../storage/store.ts';

type EntrySink = Pick<EntryStore, 'append' | 'mark'>;

/**
 * Settles sessions right after calls of them were booked. What fails here is marked in the book and has its turn
 * again: it never keeps calls from being booked.
 */
export function withSessionSettling(
  shipping: EntrySink,
  parts: Pick<SessionParts, 'sessions' | 'pricingOf'> & { readonly log: Log },
): EntrySink {
  return {
    mark: (journalId) => shipping.mark(journalId),
    async append(batch) {
      const appended = await shipping.append(batch);
      if (!batch.entries.some(({ sessionHash }) => sessionHash !== null)) return appended;
      try {
        await settleAll(parts);
      } catch (error) {
        parts.log.error({ err: error }, 'sessions could not be settled; they are at the next batch');
      }
      return appended;
    },
  };
}
