import { TollbookError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RecordDb, RecordTransaction } from './tables.ts';
import type { SecretVault } from './vault.ts';

export const DEFAULT_WORKSPACE = 'ws_default';

/** Checks a record inside the transaction that changes it. An error it throws cancels the change. */
export type ChangeCheck<T> = (before: T) => void;

/** Dependencies of all records. */
export interface RecordContext {
  readonly db: RecordDb;
  readonly vault: SecretVault;
  readonly clock: Clock;
  /** Distinguishes the notes of this node from those of others on the database; '' = no other uses it. */
  readonly place: string;
  /** Id of this node, which is that of its journal; null = it has none, or no other node uses the database. */
  readonly nodeId: string | null;
  /** Several gateways admit calls: workers, or nodes of one database. Each one has calls that the ledger does not have yet. */
  readonly hasNodes: boolean;
  /** Returns ascending ids, so that messages queued within one millisecond keep their order. */
  readonly nextDeliveryId: () => string;
}

/** Returns the name of a setting that each node on a database has for itself. */
export function ownSetting(name: string, place: string): string {
  return place === '' ? name : `${name} ${place}`;
}

export function notFound(what: string, id: string): TollbookError {
  return new TollbookError('not_found', `There is no ${what} "${id}" in this workspace.`);
}

export async function requireWorkspace(tx: RecordTransaction, id: string): Promise<void> {
  const found = await tx.selectFrom('workspaces').select('id').where('id', '=', id).executeTakeFirst();
  if (!found) throw new TollbookError('not_found', `There is no workspace "${id}".`, 'workspace');
}

/** Throws when a workspace already has `max` of these. `count` is the current number. */
export function requireRoom(count: number, max: number, things: string): void {
  if (count >= max)
    throw new TollbookError(
      'unprocessable',
      `The workspace already has ${max} ${things}, which is the most it can have.`,
    );
}

/** Checks an expiry: epoch ms after which a secret is refused, in the future; null = never. */
export function parseExpiry(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null) return null;
  if (!Number.isSafeInteger(expiresAt) || expiresAt < 0)
    throw new TollbookError('invalid', 'The expiry is not a valid time.', 'expiresAt');
  if (expiresAt <= now) throw new TollbookError('invalid', 'The expiry lies in the past.', 'expiresAt');
  return expiresAt;
}
