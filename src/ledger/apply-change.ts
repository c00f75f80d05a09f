import type { LiveStreams } from '../api/live-streams.ts';
import { TollbookError } from '../domain/errors.ts';
import type { RecordChange } from '../storage/change-feed.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import type { Records } from '../storage/records/records.ts';
import type { GatewayUpdates } from './send-to-gateway.ts';
import type { AlertChange } from './live-events.ts';

interface ChangeParts {
  readonly records: Pick<Records, 'tokens' | 'limits' | 'alerts'>;
  readonly updates: GatewayUpdates;
  readonly live: Pick<LiveStreams, 'dismiss'>;
  readonly publish: (alert: StoredAlert, change: AlertChange) => void;
}

/** Applies a change that a node has made. What it is now is read from the records, so it may be applied more than once. */
export async function applyChange(parts: ChangeParts, { kind, ref, workspaceId }: RecordChange): Promise<void> {
  const { updates, live } = parts;
  switch (kind) {
    case 'key':
      return await updates.key(ref);
    case 'token':
      return await applyToken(parts, ref);
    case 'prices':
      return await updates.prices();
    case 'document':
      return await (ref === 'document.providers.json' ? updates.providers() : updates.fetchedPrices());
    case 'limit':
      return await applyLimit(parts, ref, workspaceId ?? '');
    case 'zone':
      return await updates.zone(ref);
    case 'member':
    case 'session':
      return live.dismiss(ref, workspaceId);
    case 'overrun':
    case 'alert_raised':
    case 'alert_resolved':
    case 'alert_read':
      return await applyAlert(parts, kind, ref, workspaceId ?? '');
    default:
      // A newer version may have others.
      kind satisfies never;
  }
}

async function applyToken({ records, updates, live }: ChangeParts, hash: string): Promise<void> {
  const isLive = (await records.tokens.findByHash(hash)) !== null;
  updates.token(hash, isLive);
  if (isLive) return;
  const id = await records.tokens.idByHash(hash);
  if (id !== null) live.dismiss(id, null);
}

async function applyLimit({ records, updates }: ChangeParts, id: string, workspaceId: string): Promise<void> {
  const limit = await found(records.limits.get(workspaceId, id));
  if (limit) updates.limit(limit);
  else updates.limitRemoved({ id, workspaceId });
}

const ALERT_CHANGES = { alert_raised: 'raised', alert_resolved: 'resolved', alert_read: 'read' } as const;

async function applyAlert(
  { records, updates, publish }: ChangeParts,
  kind: keyof typeof ALERT_CHANGES | 'overrun',
  id: string,
  workspaceId: string,
): Promise<void> {
  const alert = await found(records.alerts.get(workspaceId, id));
  if (!alert) return;
  if (kind === 'overrun') return updates.overrun(alert);
  updates.refusal(alert);
  publish(alert, ALERT_CHANGES[kind]);
}

/** Returns null for a record that no longer exists. */
async function found<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof TollbookError && error.type === 'not_found') return null;
    throw error;
  }
}
