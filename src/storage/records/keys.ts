import { randomBytes } from 'node:crypto';
import { TollbookError } from '../../domain/errors.ts';
import { parseName } from '../../domain/identity/name.ts';
import { OPEN_POLICY, type Policy } from '../../domain/policy/policy.ts';
import { formatSecret, type FormattedSecret, SECRET_RANDOM_BYTES } from '../../domain/identity/secret.ts';
import { parseTags } from '../../domain/usage/tags.ts';
import { unlessUnchanged } from '../../domain/identity/stored-value.ts';
import { hashSecret } from '../../lib/crypto/cipher.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited, type AuditNote } from './audit.ts';
import {
  type ChangeCheck,
  notFound,
  parseExpiry,
  type RecordContext,
  requireRoom,
  requireWorkspace,
} from './context.ts';
import {
  cachingOpener,
  type KeyRow,
  listHeldKeys,
  openProviderKey,
  selectKeys,
  toGatewayKey,
  toWrappedKey,
  withoutProviderKey,
  withUsedBy,
  type WrappedKey,
} from './key-rows.ts';
import { addProviderKey, eraseProviderKeyIfUnused, parseProviderKey, replaceProviderKey } from './provider-keys.ts';
import type { RecordDb, RecordTransaction } from './tables.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import type { HeldProviderKey } from '../../domain/reconciliation/held-keys.ts';

/** A provider key, the id of a wrapped key that shares its provider key, or the login of the client's own subscription. */
type CredentialSource =
  | { readonly providerKey: string }
  | { readonly providerKeyOf: string }
  | { readonly credential: 'subscription' };

export interface NewKey {
  readonly workspaceId: string;
  readonly name: string;
  readonly provider: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly expiresAt: number | null;
  readonly source: CredentialSource;
}

interface KeyChange {
  readonly name?: string;
  readonly expiresAt?: number | null;
  /** Apply to calls that start from now on. */
  readonly tags?: Readonly<Record<string, string>>;
}

export interface KeyRecords {
  /** Returns the secret, which is not stored. Names are unique among the active keys of a workspace. */
  create(input: NewKey, actor: Actor): Promise<{ key: WrappedKey; secret: string }>;
  /** Newest first, revoked ones included. */
  list(workspaceId: string): Promise<WrappedKey[]>;
  get(workspaceId: string, id: string): Promise<WrappedKey>;
  update(
    workspaceId: string,
    id: string,
    change: KeyChange,
    actor: Actor,
    check?: ChangeCheck<WrappedKey>,
  ): Promise<WrappedKey>;
  /** Replaces the policy; `OPEN_POLICY` removes every rule. */
  setPolicy(
    workspaceId: string,
    id: string,
    policy: Policy,
    actor: Actor,
    check?: ChangeCheck<WrappedKey>,
  ): Promise<WrappedKey>;
  /** Replaces the stored provider key, and so changes every wrapped key that shares it: all of them are returned. */
  replaceProviderKey(
    workspaceId: string,
    id: string,
    providerKey: string,
    actor: Actor,
    check?: ChangeCheck<WrappedKey>,
  ): Promise<WrappedKey[]>;
  /** Idempotent. Erases the provider key if no active wrapped key uses it. */
  revoke(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<WrappedKey>): Promise<WrappedKey>;
  /** Finds a wrapped key by its hash, including revoked ones. */
  findByHash(hash: string): Promise<{ id: string; workspaceId: string } | null>;
  /** Returns the provider key in plain text, for a test. Throws a readable error when it can't be decrypted. */
  providerKey(workspaceId: string, id: string): Promise<string>;
  /**
   * Returns the active keys of all workspaces with their provider keys in plain text; '' = can't be decrypted. The
   * gateway checks the expiry.
   */
  listForGateway(): Promise<GatewayKey[]>;
  /**
   * Returns current and former provider keys of all workspaces in plain text, to match them with provider reports.
   */
  heldKeys(provider: string): Promise<HeldProviderKey[]>;
  /** Returns one key of any workspace, with '' as provider key if revoked; null = not found. */
  findForGateway(id: string): Promise<GatewayKey | null>;
}

/** Active keys; the gateway keeps all of them in memory. */
const KEYS_PER_WORKSPACE_MAX = 10_000;

export function keyRecords(context: RecordContext): KeyRecords {
  return { ...keyReaders(context), ...keyWriters(context) };
}

type KeyWriter = 'create' | 'update' | 'setPolicy' | 'replaceProviderKey' | 'revoke';

function keyReaders({ db, vault }: RecordContext): Omit<KeyRecords, KeyWriter> {
  return {
    async list(workspaceId) {
      const query = selectKeys(db).where('wrapped_keys.workspace_id', '=', workspaceId);
      const rows = await query.orderBy('wrapped_keys.created_at', 'desc').orderBy('wrapped_keys.id', 'desc').execute();
      return withUsedBy(rows).map(toWrappedKey);
    },
    get: async (workspaceId, id) => toWrappedKey(await loadKey(db, workspaceId, id)),
    async findByHash(hash) {
      const query = db.selectFrom('wrapped_keys').select(['id', 'workspace_id']).where('hash', '=', hash);
      const row = await query.executeTakeFirst();
      return row ? { id: row.id, workspaceId: row.workspace_id } : null;
    },
    providerKey: async (workspaceId, id) =>
      openProviderKey(requireNotRevoked(await loadKey(db, workspaceId, id)), vault),
    async listForGateway() {
      const rows = await selectKeys(db).where('wrapped_keys.revoked_at', 'is', null).execute();
      const opener = cachingOpener(vault);
      return rows.map((row) => toGatewayKey(row, opener));
    },
    heldKeys: (provider) => listHeldKeys(db, vault, provider),
    async findForGateway(id) {
      const row = await selectKeys(db).where('wrapped_keys.id', '=', id).executeTakeFirst();
      return row ? toGatewayKey(row, vault) : null;
    },
  };
}

function keyWriters(context: RecordContext): Pick<KeyRecords, KeyWriter> {
  const { clock } = context;
  return {
    create: (input, actor) =>
      audited(context, actor, async (tx, note) => {
        const secret = formatSecret(randomBytes(SECRET_RANDOM_BYTES));
        const key = toWrappedKey(await insertKey(context, tx, input, secret, actor));
        const { workspaceId } = input;
        await note({ workspaceId, action: 'key.create', subject: key.id, before: null, after: keyFacts(key) });
        return { key, secret: secret.text };
      }),
    update: (...asked) => updateKey(context, ...asked),
    setPolicy: (workspaceId, id, policy, actor, check) =>
      changeKey(context, workspaceId, id, 'key.policy', actor, async (tx, row) => {
        check?.(toWrappedKey(requireNotRevoked(row)));
        await tx
          .updateTable('wrapped_keys')
          .set({ policy: policyText(policy) })
          .where('id', '=', id)
          .execute();
      }),
    replaceProviderKey: (workspaceId, id, text, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const row = requireProviderKey(requireNotRevoked(await loadKey(tx, workspaceId, id)));
        check?.(toWrappedKey(row));
        await replaceProviderKey(context, tx, row.provider_key_id, parseProviderKey(text));
        const keys = (await listSharingKeys(tx, row.provider_key_id)).map(toWrappedKey);
        const sharedBy = keys.map((key) => key.id);
        const after = { fingerprint: keys[0]?.providerKey.fingerprint, sharedBy };
        const before = { fingerprint: row.fingerprint, sharedBy };
        await note({ workspaceId, action: 'key.replace', subject: id, before, after });
        return keys;
      }),
    revoke: (workspaceId, id, actor, check) =>
      changeKey(context, workspaceId, id, 'key.revoke', actor, async (tx, row) => {
        check?.(toWrappedKey(row));
        if (row.revoked_at !== null) return;
        await tx.updateTable('wrapped_keys').set({ revoked_at: clock() }).where('id', '=', id).execute();
        await eraseProviderKeyIfUnused(context, tx, row.provider_key_id);
      }),
  };
}

/** Changes fields in one transaction, with an audit row for each field that changed. */
function updateKey(
  context: RecordContext,
  ...[workspaceId, id, fields, actor, check]: Parameters<KeyRecords['update']>
) {
  return audited(context, actor, async (tx, note) => {
    let key = toWrappedKey(requireNotRevoked(await loadKey(tx, workspaceId, id)));
    check?.(key);
    for (const [action, values] of await listKeyChanges(tx, key, fields)) {
      const before = key;
      await tx.updateTable('wrapped_keys').set(values).where('id', '=', id).execute();
      key = toWrappedKey(await loadKey(tx, workspaceId, id));
      await noteChange(note, action, before, key);
    }
    return key;
  });
}

async function listKeyChanges(
  tx: RecordTransaction,
  { workspaceId, name: nameBefore, tags: tagsBefore }: WrappedKey,
  { name, expiresAt, tags }: KeyChange,
) {
  const columns: [action: string, values: Readonly<Record<string, string | number | null>>][] = [];
  if (name !== undefined) {
    const newName = unlessUnchanged(nameBefore, name.trim(), () => parseName(name));
    if (newName !== nameBefore) await requireFreeKeyName(tx, workspaceId, newName);
    columns.push(['key.rename', { name: newName }]);
  }
  // An expiry in the past ends the key immediately, which is allowed.
  if (expiresAt !== undefined) columns.push(['key.expire', { expires_at: parseExpiry(expiresAt, -1) }]);
  if (tags !== undefined) columns.push(['key.tags', { tags: JSON.stringify(parseTags(tags, tagsBefore)) }]);
  return columns;
}

/** Loads a key, changes it, and writes an audit row if anything changed. */
async function changeKey(
  context: RecordContext,
  workspaceId: string,
  id: string,
  action: string,
  actor: string,
  apply: (tx: RecordTransaction, row: KeyRow) => Promise<void>,
): Promise<WrappedKey> {
  return audited(context, actor, async (tx, note) => {
    const row = await loadKey(tx, workspaceId, id);
    await apply(tx, row);
    const key = toWrappedKey(await loadKey(tx, workspaceId, id));
    await noteChange(note, action, toWrappedKey(row), key);
    return key;
  });
}

async function noteChange(
  note: (note: AuditNote) => Promise<void>,
  action: string,
  was: WrappedKey,
  is: WrappedKey,
): Promise<void> {
  const [before, after] = [keyFacts(was), keyFacts(is)];
  if (JSON.stringify(before) !== JSON.stringify(after))
    await note({ workspaceId: is.workspaceId, action, subject: is.id, before, after });
}

async function insertKey(
  context: RecordContext,
  tx: RecordTransaction,
  input: NewKey,
  secret: FormattedSecret,
  createdBy: Actor,
): Promise<KeyRow> {
  const { workspaceId, provider } = input;
  const name = parseName(input.name);
  const now = context.clock();
  await requireWorkspace(tx, workspaceId);
  await requireFreeKeyName(tx, workspaceId, name);
  const row = {
    id: newId('key', context.clock),
    workspace_id: workspaceId,
    provider_key_id: await providerKeyFor(context, tx, input),
    name,
    provider,
    public_id: secret.publicId,
    hash: hashSecret(secret.text),
    credential: 'credential' in input.source ? input.source.credential : ('provider_key' as const),
    tags: JSON.stringify(parseTags(input.tags)),
    created_at: now,
    expires_at: parseExpiry(input.expiresAt, now),
    revoked_at: null,
    policy: null,
    created_by: createdBy,
  };
  await tx.insertInto('wrapped_keys').values(row).execute();
  return loadKey(tx, workspaceId, row.id);
}

async function providerKeyFor(
  context: RecordContext,
  tx: RecordTransaction,
  { workspaceId, provider, source }: NewKey,
): Promise<string> {
  if ('providerKey' in source)
    return addProviderKey(context, tx, { workspaceId, provider }, parseProviderKey(source.providerKey));
  if ('credential' in source) return addProviderKey(context, tx, { workspaceId, provider }, null);
  const other = requireProviderKey(requireNotRevoked(await loadKey(tx, workspaceId, source.providerKeyOf)));
  if (other.provider === provider) return other.provider_key_id;
  throw new TollbookError(
    'unprocessable',
    `The provider key of "${other.name}" is for ${other.provider}, not for ${provider}.`,
    'providerKeyOf',
  );
}

async function loadKey(db: RecordDb, workspaceId: string, id: string): Promise<KeyRow> {
  const query = selectKeys(db).where('wrapped_keys.workspace_id', '=', workspaceId).where('wrapped_keys.id', '=', id);
  const row = await query.executeTakeFirst();
  if (!row) throw notFound('wrapped key', id);
  const sharers = db.selectFrom('wrapped_keys').where('provider_key_id', '=', row.provider_key_id);
  const inUse = sharers.where('revoked_at', 'is', null).select((select) => select.fn.countAll<number>().as('count'));
  return Object.assign(row, { used_by: (await inUse.executeTakeFirstOrThrow()).count });
}

async function listSharingKeys(tx: RecordTransaction, providerKeyId: string): Promise<KeyRow[]> {
  const query = selectKeys(tx).where('wrapped_keys.provider_key_id', '=', providerKeyId);
  const rows = await query.where('wrapped_keys.revoked_at', 'is', null).orderBy('wrapped_keys.id').execute();
  return withUsedBy(rows);
}

/** Throws for a revoked key, which can no longer change. */
function requireNotRevoked(row: KeyRow): KeyRow {
  if (row.revoked_at === null) return row;
  throw new TollbookError('unprocessable', `The wrapped key "${row.name}" is revoked. Create a new one.`);
}

function requireProviderKey(row: KeyRow): KeyRow {
  if (row.credential === 'subscription') throw withoutProviderKey(row.name);
  return row;
}

async function requireFreeKeyName(tx: RecordTransaction, workspaceId: string, name: string): Promise<void> {
  const keys = tx.selectFrom('wrapped_keys').where('workspace_id', '=', workspaceId).where('revoked_at', 'is', null);
  const { count } = await keys.select((select) => select.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  requireRoom(count, KEYS_PER_WORKSPACE_MAX, 'wrapped keys');
  if (await keys.select('id').where('name', '=', name).executeTakeFirst())
    throw new TollbookError(
      'conflict',
      `There is a wrapped key named "${name}" already. Revoke it, or choose another name.`,
      'name',
    );
}

/** Returns the fields that the audit row shows. */
function keyFacts(key: WrappedKey): Record<string, unknown> {
  const { name, provider, publicId, tags, expiresAt, revokedAt, providerKey, policy } = key;
  return {
    name,
    provider,
    publicId,
    tags,
    expiresAt,
    revokedAt,
    providerKey: providerKey.id,
    fingerprint: providerKey.fingerprint,
    ...(policy !== OPEN_POLICY && { policy }),
  };
}

/** Returns null for the open policy. */
function policyText(policy: Policy): string | null {
  const text = JSON.stringify({ ...OPEN_POLICY, ...policy });
  return text === JSON.stringify(OPEN_POLICY) ? null : text;
}
