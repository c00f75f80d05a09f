import type { SelectQueryBuilder } from 'kysely';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { OPEN_POLICY, type Policy } from '../../domain/policy/policy.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { WrappedKey } from './records.ts';
import type { RecordDb, RecordTables } from './tables.ts';
import type { SecretVault } from './vault.ts';

type KeyTables = 'wrapped_keys' | 'provider_keys';

/** A wrapped key with the provider key it stands for. */
export type StoredKey = RecordTables['wrapped_keys'] &
  Pick<RecordTables['provider_keys'], 'sealed' | 'fingerprint' | 'last_four' | 'set_at'>;

/** … and how many keys in use stand for the same one. */
export type KeyRow = StoredKey & { used_by: number };

export function selectKeys(db: RecordDb): SelectQueryBuilder<RecordTables, KeyTables, StoredKey> {
  return db
    .selectFrom('wrapped_keys')
    .innerJoin('provider_keys', 'provider_keys.id', 'wrapped_keys.provider_key_id')
    .selectAll('wrapped_keys')
    .select(['provider_keys.sealed', 'provider_keys.fingerprint', 'provider_keys.last_four', 'provider_keys.set_at']);
}

/** Rows among which are all keys that stand for any of their provider keys. */
export function withUsedBy(rows: readonly StoredKey[]): KeyRow[] {
  const uses = new Map<string, number>();
  for (const { provider_key_id: id, revoked_at } of rows)
    if (revoked_at === null) uses.set(id, (uses.get(id) ?? 0) + 1);
  return rows.map((row) => Object.assign(row, { used_by: uses.get(row.provider_key_id) ?? 0 }));
}

type SecretOpener = Pick<SecretVault, 'open'>;

/** Opens each provider key once, however many wrapped keys stand for it. */
export function cachingOpener(vault: SecretVault): SecretOpener {
  const opened = new Map<string, string>();
  return {
    open(sealed, recordId) {
      const known = opened.get(recordId);
      if (known !== undefined) return known;
      const text = vault.open(sealed, recordId);
      opened.set(recordId, text);
      return text;
    },
  };
}

export function toWrappedKey(row: KeyRow): WrappedKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    provider: row.provider,
    publicId: row.public_id,
    tags: JSON.parse(row.tags) as WrappedKey['tags'],
    createdAt: row.created_at,
    createdBy: row.made_by,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    providerKey: {
      id: row.provider_key_id,
      fingerprint: row.fingerprint,
      lastFour: row.last_four,
      setAt: row.set_at,
      usedBy: row.used_by,
    },
    policy: readPolicy(row),
  };
}

/** A rule that a later version added has its default. */
function readPolicy({ policy }: StoredKey): Policy {
  return policy === null ? OPEN_POLICY : { ...OPEN_POLICY, ...(JSON.parse(policy) as Partial<Policy>) };
}

export function toGatewayKey(row: StoredKey, vault: SecretOpener): GatewayKey {
  return {
    id: row.id,
    hash: row.hash,
    workspaceId: row.workspace_id,
    provider: row.provider,
    name: row.name,
    tags: JSON.parse(row.tags) as WrappedKey['tags'],
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    policy: readPolicy(row),
    providerKey: row.revoked_at === null ? openedOrEmpty(row, vault) : '',
  };
}

/** One that was changed outside Tollbook leaves the others as they are. */
function openedOrEmpty(row: StoredKey, vault: SecretOpener): string {
  try {
    return openProviderKey(row, vault);
  } catch (error) {
    if (error instanceof TollbookError) return '';
    throw error;
  }
}

/** Throws a sentence that says what to do when it can't be opened. */
export function openProviderKey({ name, provider_key_id, sealed }: StoredKey, vault: SecretOpener): string {
  if (sealed === null) throw new TollbookError('internal', `The provider key behind "${name}" is gone. Replace it.`);
  return vault.open(sealed, provider_key_id);
}
