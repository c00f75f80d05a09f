import type { SelectQueryBuilder } from 'kysely';
import type { GatewayKey, KeyCredential } from '../../domain/identity/wrapped-key.ts';
import { OPEN_POLICY, type Policy } from '../../domain/policy/policy.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { RecordDb, RecordTables } from './tables.ts';
import type { SecretVault } from './vault.ts';
import type { HeldProviderKey, KeyEnds } from '../../domain/reconciliation/held-keys.ts';
import type { Actor } from './audit.ts';

export interface WrappedKey {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly provider: string;
  readonly credential: KeyCredential;
  /** The six public characters after `svc_sk_`. */
  readonly publicId: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: number;
  /** null = unknown. */
  readonly createdBy: Actor | null;
  /** null = never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly providerKey: ProviderKeyView;
  readonly policy: Policy;
}

/** The visible part of a stored provider key. */
interface ProviderKeyView {
  readonly id: string;
  /** First 8 hex digits of the SHA-256; null for a key so short that they would help to guess it. */
  readonly fingerprint: string | null;
  /** Its last four characters, as providers show it; null for a short key. */
  readonly lastFour: string | null;
  readonly setAt: number;
  /** Number of active wrapped keys that use it, including this one. */
  readonly usedBy: number;
}

type KeyTables = 'wrapped_keys' | 'provider_keys';

/** A wrapped key with its provider key. */
export type StoredKey = RecordTables['wrapped_keys'] &
  Pick<RecordTables['provider_keys'], 'sealed' | 'fingerprint' | 'last_four' | 'set_at'>;

/** A wrapped key with its provider key and the number of active keys that share it. */
export type KeyRow = StoredKey & { used_by: number };

export function selectKeys(db: RecordDb): SelectQueryBuilder<RecordTables, KeyTables, StoredKey> {
  return db
    .selectFrom('wrapped_keys')
    .innerJoin('provider_keys', 'provider_keys.id', 'wrapped_keys.provider_key_id')
    .selectAll('wrapped_keys')
    .select(['provider_keys.sealed', 'provider_keys.fingerprint', 'provider_keys.last_four', 'provider_keys.set_at']);
}

/** Adds the number of active keys per provider key. `rows` must hold all keys that share one. */
export function withUsedBy(rows: readonly StoredKey[]): KeyRow[] {
  const uses = new Map<string, number>();
  for (const { provider_key_id: id, revoked_at } of rows)
    if (revoked_at === null) uses.set(id, (uses.get(id) ?? 0) + 1);
  return rows.map((row) => Object.assign(row, { used_by: uses.get(row.provider_key_id) ?? 0 }));
}

type SecretOpener = Pick<SecretVault, 'open'>;

/** Decrypts each provider key once, even if many wrapped keys share it. */
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
    credential: row.credential,
    publicId: row.public_id,
    tags: JSON.parse(row.tags) as WrappedKey['tags'],
    createdAt: row.created_at,
    createdBy: row.created_by,
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

/** Adds the default of each rule that the stored policy lacks. */
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
    credential: row.credential,
    tags: JSON.parse(row.tags) as WrappedKey['tags'],
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    policy: readPolicy(row),
    providerKey: row.revoked_at === null && row.credential === 'provider_key' ? openedOrEmpty(row, vault) : '',
  };
}

/** Returns '' for a key that was changed outside Tollbook, so that the others still load. */
function openedOrEmpty(row: StoredKey, vault: SecretOpener): string {
  try {
    return openProviderKey(row, vault);
  } catch (error) {
    if (error instanceof TollbookError) return '';
    throw error;
  }
}

/** Throws a readable error when the key can't be decrypted. */
export function openProviderKey({ name, credential, provider_key_id, sealed }: StoredKey, vault: SecretOpener): string {
  if (credential === 'subscription') throw withoutProviderKey(name);
  if (sealed === null) throw new TollbookError('internal', `The provider key behind "${name}" is gone. Replace it.`);
  return vault.open(sealed, provider_key_id);
}

export function withoutProviderKey(name: string): TollbookError {
  return new TollbookError(
    'unprocessable',
    `The wrapped key "${name}" has no provider key: its calls use the login of the client's subscription.`,
  );
}

/** A provider key is stored shortly after its wrapped key was created. */
const MADE_MS_MAX = 60_000;

type FormerKeyRow = RecordTables['former_provider_keys'];

export async function listHeldKeys(db: RecordDb, vault: SecretVault, provider: string): Promise<HeldProviderKey[]> {
  const stored = selectKeys(db).where('wrapped_keys.credential', '=', 'provider_key');
  const rows = await stored.where('wrapped_keys.provider', '=', provider).execute();
  const all = await db.selectFrom('former_provider_keys').selectAll().orderBy('set_at').execute();
  const formers = Map.groupBy(all, (former) => former.provider_key_id);
  const byKey = Map.groupBy(rows, ({ provider_key_id: id }) => id);
  return [...byKey].flatMap(([id, sharing]) => listKeyPeriods(sharing, formers.get(id) ?? [], vault));
}

/** Lists the provider keys that one group of wrapped keys used, one after the other. */
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

/** Returns a placeholder for an unknown key that was used before the first known one. */
function unknownBefore(sharing: readonly StoredKey[], [first]: readonly HeldProviderKey[]): HeldProviderKey[] {
  const madeAt = Math.min(...sharing.map(({ created_at }) => created_at));
  if (!first || first.heldSince - madeAt <= MADE_MS_MAX) return [];
  const nothing = { key: null, fingerprint: null, ends: null, lastFour: null };
  const { wrappedKeyIds, heldSince: heldUntil } = first;
  return [{ id: `${first.id}:before`, ...nothing, wrappedKeyIds, heldSince: madeAt, heldUntil }];
}

/** Returns null for a secret that can't be decrypted. The gateway raises an alert for it at its start. */
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
