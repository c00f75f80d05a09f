import type { AlertShape } from '../contract/alerts.ts';
import { endpoint } from './http/endpoint.ts';
import { isoOrNull } from '../contract/fields.ts';
import { toIso } from '../domain/time/period.ts';
import type { Records } from '../storage/records/records.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import type { GatewayNotices } from './gateway-notices.ts';

export interface AlertServices {
  readonly records: Records;
  readonly gateway: Pick<GatewayNotices, 'alertRead'>;
}

/** Key ids in prose. Ids in commands that a message shows are kept. */
const KEYS = /\bkey (key_[0-9a-z]{22})\b/g;

/** Returns the names of wrapped keys mentioned in alerts of one workspace. Alerts store ids; people know names. */
export async function keyNamesIn(
  alerts: readonly StoredAlert[],
  records: Pick<Records, 'keys'>,
): Promise<ReadonlyMap<string, string>> {
  const first = alerts.find(({ title, message }) => `${title} ${message}`.search(KEYS) >= 0);
  return first ? await keyNames(first.workspaceId, records) : new Map();
}

export async function keyNames(workspaceId: string, { keys }: Pick<Records, 'keys'>): Promise<Map<string, string>> {
  return new Map((await keys.list(workspaceId)).map(({ id, name }) => [id, `"${name}"`]));
}

/** Replaces the ids of keys in a text by their names. */
export function withKeyNames(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(KEYS, (_, id: string) => `key ${names.get(id) ?? id}`);
}

export function alertView(alert: StoredAlert, names: ReadonlyMap<string, string>): AlertShape {
  const named = (text: string): string => withKeyNames(text, names);
  const {
    id,
    type,
    severity,
    title,
    message,
    createdAt,
    readAt,
    resolvedAt,
    scope,
    value,
    threshold,
    period,
    evidence,
  } = alert;
  return {
    id,
    type,
    severity,
    title: named(title),
    message: named(message),
    createdAt: toIso(createdAt),
    read: readAt !== null,
    readAt: isoOrNull(readAt),
    resolvedAt: isoOrNull(resolvedAt),
    scope: { ...scope },
    value,
    threshold,
    period: period && { start: toIso(period.start), end: Number.isFinite(period.end) ? toIso(period.end) : null },
    evidence: { ...evidence },
  };
}

export const listAlerts = endpoint('GET /api/mcp/alerts', async ({ caller, query }, { records }: AlertServices) => {
  const found = await records.alerts.list(caller.workspaceId, {
    limit: query.limit,
    unreadOnly: query.unreadOnly === 'true',
    before: query.before ?? null,
    ...(query.type && { types: [query.type] }),
    ...(query.severity && { severity: query.severity }),
  });
  const names = await keyNamesIn(found, records);
  return found.map((each) => alertView(each, names));
});

export const getAlert = endpoint('GET /api/mcp/alerts/{id}', async ({ caller, path }, { records }: AlertServices) => {
  const found = await records.alerts.get(caller.workspaceId, path.id);
  return alertView(found, await keyNamesIn([found], records));
});

export const readAlert = endpoint(
  'POST /api/mcp/alerts/{id}/read',
  async ({ caller, path }, { records, gateway }: AlertServices) => {
    const read = await records.alerts.markRead(caller.workspaceId, path.id, caller.actor);
    gateway.alertRead(read);
    return alertView(read, await keyNamesIn([read], records));
  },
);
