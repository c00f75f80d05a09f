import type { HeldProviderKey, KeyEnds } from '../../domain/reconciliation/held-keys.ts';
import { TollbookError } from '../../domain/errors.ts';
import { selectKeys, type StoredKey } from './key-rows.ts';
import type { RecordDb, RecordTables } from './tables.ts';
import type { SecretVault } from './vault.ts';

/** A key is stored a moment after the wrapped key that it is for was made. */
const MADE_MS_MAX = 60_000;

type FormerKeyRow = RecordTables['former_provider_keys'];

export async function listHeldKeys(db: RecordDb, vault: SecretVault, provider: string): Promise<HeldProviderKey[]> {
  const rows = await selectKeys(db).where('wrapped_keys.provider', '=', provider).execute();
  const all = await db.selectFrom('former_provider_keys').selectAll().orderBy('set_at').execute();
  const formers = Map.groupBy(all, (former) => former.provider_key_id);
  const byKey = Map.groupBy(rows, ({ provider_key_id: id }) => id);
  return [...byKey].flatMap(([id, sharing]) => listKeyPeriods(sharing, formers.get(id) ?? [], vault));
}

/** What stood in one place, one after the other. */
function listKeyPeriods(
  sharing: readonly StoredKey[],
  formers: readonly FormerKeyRow[],
  vault: SecretVault,
): HeldProviderKey[] {
  const [row] = sharing;
  if (!row) return [];
  const wrappedKeyIds = sharing.map(({ id }) => id);
  const past = formers.map((former): HeldProviderKey => ({
    id: former.id,
    key: null,
    fingerprint: former.fingerprint,
    ends: former.sealed_ends === null ? null : openFormerEnds(former.sealed_ends, former.id, vault),
    lastFour: former.last_four,
    wrappedKeyIds,
    heldSince: former.set_at,
    heldUntil: former.ended_at,
  }));
  const isOver = formers.some(({ set_at }) => set_at === row.set_at) && row.sealed === null;
  const times = isOver ? past : [...past, currentHeldKey(row, sharing, vault)];
  return [...unknownBefore(sharing, times), ...times];
}

function currentHeldKey(row: StoredKey, sharing: readonly StoredKey[], vault: SecretVault): HeldProviderKey {
  const revokedAt = sharing.map(({ revoked_at }) => revoked_at ?? 0);
  return {
    id: row.provider_key_id,
    key: row.sealed === null ? null : openOrNull(row.sealed, row.provider_key_id, vault),
    fingerprint: row.fingerprint,
    ends: null,
    lastFour: row.last_four,
    wrappedKeyIds: sharing.map(({ id }) => id),
    heldSince: row.set_at,
    // Erased before former keys were kept: with the last wrapped key that stood for it.
    heldUntil: row.sealed === null ? Math.max(...revokedAt) : null,
  };
}

/** Replaced before former keys were kept: what stood there before the first that is known. */
function unknownBefore(sharing: readonly StoredKey[], [first]: readonly HeldProviderKey[]): HeldProviderKey[] {
  const madeAt = Math.min(...sharing.map(({ created_at }) => created_at));
  if (!first || first.heldSince - madeAt <= MADE_MS_MAX) return [];
  const nothing = { key: null, fingerprint: null, ends: null, lastFour: null };
  const { wrappedKeyIds, heldSince: heldUntil } = first;
  return [{ id: `${first.id}:before`, ...nothing, wrappedKeyIds, heldSince: madeAt, heldUntil }];
}

/** What can't be opened is as good as erased here; the gate raises an alert for it at its start. */
function openOrNull(sealed: string, id: string, vault: SecretVault): string | null {
  try {
    return vault.open(sealed, id);
  } catch (error) {
    if (error instanceof TollbookError) return null;
    throw error;
  }
}

function openFormerEnds(sealed: string, id: string, vault: SecretVault): KeyEnds | null {
  const text = openOrNull(sealed, id, vault);
  return text === null ? null : (JSON.parse(text) as KeyEnds);
}
