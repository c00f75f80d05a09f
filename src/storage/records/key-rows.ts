import type { SelectQueryBuilder } from 'kysely';
import type { GateKey } from '../../core/gate-key.ts';
import { OPEN_POLICY, type Policy } from '../../core/policy.ts';
import { TollbookError } from '../../core/errors.ts';
import type { WrappedKey } from './records.ts';
import type { Db, Tables } from './tables.ts';
import type { Vault } from './vault.ts';

type Joined = 'wrapped_keys' | 'provider_keys';

/** A wrapped key with the provider key it stands for. */
export type KeyRow = Tables['wrapped_keys'] &
  Pick<Tables['provider_keys'], 'sealed' | 'fingerprint' | 'last_four' | 'set_at'> & { used_by: number };

export function selectKeys(db: Db): SelectQueryBuilder<Tables, Joined, KeyRow> {
  return db
    .selectFrom('wrapped_keys')
    .innerJoin('provider_keys', 'provider_keys.id', 'wrapped_keys.provider_key_id')
    .selectAll('wrapped_keys')
    .select(['provider_keys.sealed', 'provider_keys.fingerprint', 'provider_keys.last_four', 'provider_keys.set_at'])
    .select((row) =>
      row
        .selectFrom('wrapped_keys as sharing')
        .whereRef('sharing.provider_key_id', '=', 'provider_keys.id')
        .where('sharing.revoked_at', 'is', null)
        .select((select) => select.fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('used_by'),
    );
}

export function keyView(row: KeyRow): WrappedKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    provider: row.provider,
    publicId: row.public_id,
    tags: JSON.parse(row.tags) as WrappedKey['tags'],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    providerKey: {
      id: row.provider_key_id,
      fingerprint: row.fingerprint,
      lastFour: row.last_four,
      setAt: row.set_at,
      usedBy: row.used_by,
    },
    policy: policyOf(row),
  };
}

/** A rule that a later version added has its default. */
function policyOf({ policy }: KeyRow): Policy {
  return policy === null ? OPEN_POLICY : { ...OPEN_POLICY, ...(JSON.parse(policy) as Partial<Policy>) };
}

export function gateView(row: KeyRow, vault: Vault): GateKey {
  return {
    id: row.id,
    hash: row.hash,
    workspaceId: row.workspace_id,
    provider: row.provider,
    name: row.name,
    tags: JSON.parse(row.tags) as WrappedKey['tags'],
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    policy: policyOf(row),
    providerKey: row.revoked_at === null ? openedOrEmpty(row, vault) : '',
  };
}

/** One that was changed outside Tollbook leaves the others as they are. */
function openedOrEmpty(row: KeyRow, vault: Vault): string {
  try {
    return openProviderKey(row, vault);
  } catch (error) {
    if (error instanceof TollbookError) return '';
    throw error;
  }
}

/** Throws a sentence that says what to do when it can't be opened. */
export function openProviderKey({ name, provider_key_id, sealed }: KeyRow, vault: Vault): string {
  if (sealed === null) throw new TollbookError('internal', `The provider key behind "${name}" is gone. Replace it.`);
  return vault.open(sealed, provider_key_id);
}
