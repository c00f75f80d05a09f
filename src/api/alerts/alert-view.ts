import { iso } from '../../domain/time/period.ts';
import type { Records, StoredAlert } from '../../storage/records/records.ts';
import type { AlertShape } from '../../contract/usage.ts';
import { isoOrNull } from '../iso-or-null.ts';

/** In words; commands that a message gives keep the id. */
const KEYS = /\bkey (key_[0-9a-z]{22})\b/g;

/** Names of the wrapped keys that alerts of one workspace speak of: they are raised with ids, and people know names. */
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

/** Text with the names of keys instead of their ids. */
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
    createdAt: iso(createdAt),
    read: readAt !== null,
    readAt: isoOrNull(readAt),
    resolvedAt: isoOrNull(resolvedAt),
    scope: { ...scope },
    value,
    threshold,
    period: period && { start: iso(period.start), end: Number.isFinite(period.end) ? iso(period.end) : null },
    evidence: { ...evidence },
  };
}
