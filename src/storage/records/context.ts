import { TollbookError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RecordDb, RecordTransaction } from './tables.ts';
import type { SecretVault } from './vault.ts';

/** What every record kind works with. */
export interface RecordContext {
  readonly db: RecordDb;
  readonly vault: SecretVault;
  readonly clock: Clock;
  /** Ids that ascend, so that what is queued within one millisecond keeps its order. */
  readonly nextDeliveryId: () => string;
}

export function notFound(what: string, id: string): TollbookError {
  return new TollbookError('not_found', `There is no ${what} "${id}" in this workspace.`);
}

export async function requireWorkspace(tx: RecordTransaction, id: string): Promise<void> {
  const found = await tx.selectFrom('workspaces').select('id').where('id', '=', id).executeTakeFirst();
  if (!found) throw new TollbookError('not_found', `There is no workspace "${id}".`, 'workspace');
}

/** Bounds what one workspace may hold. `count` is what it holds now. */
export function requireRoom(count: number, max: number, things: string): void {
  if (count >= max)
    throw new TollbookError('impossible', `The workspace already has ${max} ${things}, which is the most it can have.`);
}
