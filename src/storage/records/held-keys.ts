import type { HeldProviderKey } from '../../core/match-provider-keys.ts';
import { TollbookError } from '../../core/errors.ts';
import { selectKeys, type StoredKey } from './key-rows.ts';
import type { Db } from './tables.ts';
import type { Vault } from './vault.ts';

export async function heldKeys(db: Db, vault: Vault, provider: string): Promise<HeldProviderKey[]> {
  const rows = await selectKeys(db).where('wrapped_keys.provider', '=', provider).execute();
  const byKey = Map.groupBy(rows, ({ provider_key_id: id }) => id);
  return [...byKey].flatMap(([id, sharing]) => {
    const [row] = sharing;
    if (!row) return [];
    const wrappedKeyIds = sharing.map((wrapped) => wrapped.id);
    return [{ id, key: opened(row, vault), lastFour: row.last_four, heldSince: row.set_at, wrappedKeyIds }];
  });
}

/** One that can't be opened is as good as erased here; the gate raises an alert for it at its start. */
function opened({ sealed, provider_key_id: id }: StoredKey, vault: Vault): string | null {
  if (sealed === null) return null;
  try {
    return vault.open(sealed, id);
  } catch (error) {
    if (error instanceof TollbookError) return null;
    throw error;
  }
}
