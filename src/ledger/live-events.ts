import { keyNamesIn, withKeyNames } from '../api/alerts.ts';
import type { LiveStreams } from '../api/live-streams.ts';
import type { Log } from '../lib/log.ts';
import type { Records } from '../storage/records/records.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import type { EntryStore } from '../storage/entry-store.ts';
import type { CallAnnouncer } from './announce-calls.ts';

type EntryReceiver = Pick<EntryStore, 'append' | 'mark'>;

/**
 * Returns a store that publishes calls once they are in the ledger.
 * @param announcer announces them to other nodes; null = there are none
 */
export function withLiveEvents(
  shipping: EntryReceiver,
  live: LiveStreams,
  announcer: CallAnnouncer | null,
): EntryReceiver {
  return {
    mark: (journalId) => shipping.mark(journalId),
    async append(batch) {
      const appended = await shipping.append(batch);
      live.entriesRecorded(batch.entries);
      live.refusalsRecorded(batch.refused ?? []);
      announcer?.recorded(batch);
      return appended;
    },
  };
}

export type AlertChange = 'raised' | 'resolved' | 'read';

interface LiveAlertParts {
  readonly records: Pick<Records, 'keys'>;
  readonly live: LiveStreams;
  readonly log: Log;
}

/** Publishes alerts, with the names of keys in place of ids, without waiting. */
export function publishAlerts(alerts: readonly StoredAlert[], change: AlertChange, parts: LiveAlertParts): void {
  const failed = (error: unknown): void =>
    parts.log.error({ err: error }, 'an alert could not be published to live streams');
  for (const alert of alerts) publishAlert(alert, change, parts).catch(failed);
}

async function publishAlert(alert: StoredAlert, change: AlertChange, { records, live }: LiveAlertParts): Promise<void> {
  const { id, severity, title, workspaceId } = alert;
  const names = await keyNamesIn([alert], records);
  live.send(workspaceId, 'alert', { id, change, severity, title: withKeyNames(title, names) });
}
