import { keyNamesIn, withKeyNames } from '../api/alerts/alert-view.ts';
import type { LiveStreams } from '../api/live/live-streams.ts';
import type { Records, StoredAlert } from '../storage/records/records.ts';
import type { EntryStore } from '../storage/store.ts';

type Shipping = Pick<EntryStore, 'append' | 'mark'>;

/** Tells whoever listens which calls are in the book, once they are. */
export function tellingLive(shipping: Shipping, live: LiveStreams): Shipping {
  return {
    mark: (journalId) => shipping.mark(journalId),
    async append(batch) {
      const appended = await shipping.append(batch);
      live.booked(batch.entries);
      return appended;
    },
  };
}

/** Tells whoever listens of alerts, with the names of keys in place of their ids. */
export async function tellAlerts(
  alerts: readonly StoredAlert[],
  change: 'raised' | 'over' | 'read',
  { records, live }: { readonly records: Pick<Records, 'keys'>; readonly live: LiveStreams },
): Promise<void> {
  for (const alert of alerts) {
    const { id, severity, title, workspaceId } = alert;
    const names = await keyNamesIn([alert], records);
    live.tell(workspaceId, 'alert', { id, change, severity, title: withKeyNames(title, names) });
  }
}
