import { hash } from 'node:crypto';
import { TollbookError } from '../../domain/errors.ts';
import { type KeyEnds, keptEnds } from '../../domain/reconciliation/held-keys.ts';
import { newId } from '../../lib/crypto/id.ts';
import type { RecordContext } from './context.ts';
import type { RecordTables, RecordTransaction } from './tables.ts';

/** A provider key travels in one header line. */
const KEY_CHARACTERS_MAX = 4_096;
/** A shorter key may be a made-up word: no part of it is shown. */
const SHOWN_FROM_CHARACTERS = 20;

/** Checks a provider key. Keys are opaque: only a key that can't be sent in a header is refused. */
export function parseProviderKey(text: string): string {
  const key = text.trim();
  if (key === '') throw new TollbookError('invalid', 'Give the provider key.', 'providerKey');
  if (key.length > KEY_CHARACTERS_MAX || !/^[\x21-\x7e]+$/.test(key))
    throw new TollbookError(
      'invalid',
      'This is not a provider key: it must be one word of printable ASCII.',
      'providerKey',
    );
  return key;
}

/** Encrypts a provider key into its columns. Call it inside the transaction that stores them. */
function sealedColumns(
  { vault, clock }: RecordContext,
  id: string,
  key: string,
): Omit<ProviderKeyRow, 'id' | 'workspace_id' | 'provider'> {
  const shown = key.length >= SHOWN_FROM_CHARACTERS;
  return {
    sealed: vault.seal(key, id),
    fingerprint: shown ? hash('sha256', key, 'hex').slice(0, 8) : null,
    // The end of a key file tells nothing.
    last_four: shown && !key.startsWith('{') ? key.slice(-4) : null,
    set_at: clock(),
  };
}

const NO_KEY = { sealed: null, fingerprint: null, last_four: null };

type ProviderKeyRow = RecordTables['provider_keys'];

/** Stores a provider key and returns its id. null = a placeholder, for a wrapped key without a provider key. */
export async function addProviderKey(
  context: RecordContext,
  tx: RecordTransaction,
  owner: { workspaceId: string; provider: string },
  key: string | null,
): Promise<string> {
  const id = newId('pk', context.clock);
  const columns = key === null ? { ...NO_KEY, set_at: context.clock() } : sealedColumns(context, id, key);
  const row = { id, workspace_id: owner.workspaceId, provider: owner.provider, ...columns };
  await tx.insertInto('provider_keys').values(row).execute();
  return id;
}

export async function replaceProviderKey(
  context: RecordContext,
  tx: RecordTransaction,
  id: string,
  key: string,
): Promise<void> {
  await archiveProviderKey(context, tx, id);
  await tx
    .updateTable('provider_keys')
    .set(sealedColumns(context, id, key))
    .where('id', '=', id)
    .execute();
}

/** Erases a provider key that no active wrapped key uses. */
export async function eraseProviderKeyIfUnused(
  context: RecordContext,
  tx: RecordTransaction,
  id: string,
): Promise<void> {
  const stillUsed = await tx
    .selectFrom('wrapped_keys')
    .select('id')
    .where('provider_key_id', '=', id)
    .where('revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (stillUsed) return;
  await archiveProviderKey(context, tx, id);
  await tx.updateTable('provider_keys').set({ sealed: null }).where('id', '=', id).execute();
}

/** Archives the first and last characters of a key, encrypted, because provider reports of its time show them. */
async function archiveProviderKey({ clock, vault }: RecordContext, tx: RecordTransaction, id: string): Promise<void> {
  const row = await tx.selectFrom('provider_keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  if (row.sealed === null) return;
  const formerId = newId('pf', clock);
  const ends = readKeyEnds(row.sealed, id, vault);
  await tx
    .insertInto('former_provider_keys')
    .values({
      id: formerId,
      provider_key_id: id,
      sealed_ends: ends && vault.seal(JSON.stringify(ends), formerId),
      fingerprint: row.fingerprint,
      last_four: row.last_four,
      set_at: row.set_at,
      ended_at: clock(),
    })
    .execute();
}

function readKeyEnds(sealed: string, id: string, vault: RecordContext['vault']): KeyEnds | null {
  try {
    return keptEnds(vault.open(sealed, id));
  } catch (error) {
    // Changed outside Tollbook: nothing can be kept of it.
    if (error instanceof TollbookError) return null;
    throw error;
  }
}
