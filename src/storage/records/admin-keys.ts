import { hash } from 'node:crypto';
import { TollbookError } from '../../domain/errors.ts';
import { parseName } from '../../domain/identity/name.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited } from './audit.ts';
import { type ChangeCheck, notFound, type RecordContext, requireRoom, requireWorkspace } from './context.ts';
import { parseProviderKey } from './provider-keys.ts';
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';

const ADMIN_KEYS_PER_WORKSPACE_MAX = 100;
const KEY_CHARACTERS_MIN = 20;

/** Columns of a receiver or key without failures. */
const NO_FAILURES = { next_at: 0, failures: 0, problem: null } as const;

export function adminKeyRecords(context: RecordContext): AdminKeyRecords {
  return { ...adminKeyWriters(context), ...adminKeyReaders(context) };
}

type AdminKeyWriter = 'create' | 'pause' | 'resume' | 'replace' | 'remove';
type AdminKeyRow = RecordTables['admin_keys'];

function adminKeyWriters(context: RecordContext): Pick<AdminKeyRecords, AdminKeyWriter> {
  const { clock } = context;
  return {
    create: (input, actor) =>
      audited(context, actor, async (tx, note) => {
        const key = toAdminKey(await insertAdminKey(context, tx, input));
        const { workspaceId, id } = key;
        await note({ workspaceId, action: 'admin_key.create', subject: id, before: null, after: adminKeyFacts(key) });
        return key;
      }),
    pause: (workspaceId, id, because, actor, check) =>
      changeAdminKey(context, { workspaceId, id, actor, action: 'admin_key.pause', check }, ({ paused_at }) =>
        paused_at === null ? { paused_at: clock(), pause_reason: because } : {},
      ),
    resume: (workspaceId, id, actor, check) =>
      changeAdminKey(context, { workspaceId, id, actor, action: 'admin_key.resume', check }, ({ paused_at }) =>
        paused_at === null ? {} : { paused_at: null, pause_reason: null, ...NO_FAILURES },
      ),
    replace: (workspaceId, id, replaced, actor, check) =>
      changeAdminKey(context, { workspaceId, id, actor, action: 'admin_key.replace', check }, (row) =>
        replacedColumns(context, row, replaced),
      ),
    remove: (workspaceId, id, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const key = toAdminKey(await loadAdminKey(tx, workspaceId, id));
        check?.(key);
        const gone = tx.updateTable('admin_keys').set({ sealed: null, removed_at: clock() });
        await gone.where('id', '=', id).execute();
        await note({ workspaceId, action: 'admin_key.remove', subject: id, before: adminKeyFacts(key), after: null });
      }),
  };
}

function adminKeyReaders({ db, vault }: RecordContext): Omit<AdminKeyRecords, AdminKeyWriter> {
  return {
    list: async (workspaceId) => (await listAdminKeyRows(db, workspaceId)).map(toAdminKey),
    get: async (workspaceId, id) => toAdminKey(await loadAdminKey(db, workspaceId, id)),
    async isReadElsewhere({ workspaceId, provider, fingerprint, organizationId }) {
      const others = selectAdminKeys(db).where('workspace_id', '<>', workspaceId).where('provider', '=', provider);
      return (await others.execute()).some((other) => readsSameOrganization(other, fingerprint, organizationId));
    },
    async secret(id) {
      const row = await db.selectFrom('admin_keys').select('sealed').where('id', '=', id).executeTakeFirst();
      if (!row?.sealed) throw new TollbookError('not_found', `The admin key "${id}" was removed.`);
      return vault.open(row.sealed, id);
    },
    async due(now) {
      const query = selectAdminKeys(db).where('paused_at', 'is', null).where('next_at', '<=', now);
      return (await query.orderBy('next_at').orderBy('id').execute()).map(toAdminKey);
    },
    async recordAttempt(id, { nextAt, failures, problem }) {
      const update = db.updateTable('admin_keys').set({ next_at: nextAt, failures, problem });
      await update.where('id', '=', id).execute();
    },
    async removed() {
      const query = db.selectFrom('admin_keys').select('id').where('removed_at', 'is not', null);
      return (await query.orderBy('id').execute()).map(({ id }) => id);
    },
    async forget(id) {
      await db.deleteFrom('admin_keys').where('id', '=', id).where('removed_at', 'is not', null).execute();
    },
  };
}

function replacedColumns(
  { vault }: RecordContext,
  row: AdminKeyRow,
  { key: text, ...organization }: AdminKeyReplacement,
): Partial<AdminKeyRow> {
  if (row.organization_id !== null && organization.organizationId !== row.organization_id)
    throw new TollbookError(
      'conflict',
      `This is an admin key of another organization than "${row.name}" reads. Add it as a separate key.`,
      'adminKey',
    );
  const isPausedByService = row.pause_reason !== null;
  return {
    ...keyColumns(vault, row.id, text),
    organization_id: organization.organizationId,
    organization_name: organization.organizationName,
    ...(isPausedByService && { paused_at: null, pause_reason: null }),
    ...NO_FAILURES,
  };
}

function keyColumns(
  vault: RecordContext['vault'],
  id: string,
  text: string,
): Pick<AdminKeyRow, 'sealed' | 'fingerprint' | 'last_four'> {
  const key = parseProviderKey(text);
  if (key.length < KEY_CHARACTERS_MIN)
    throw new TollbookError('invalid', 'This is not an admin key: it is too short.', 'adminKey');
  return { sealed: vault.seal(key, id), fingerprint: hash('sha256', key, 'hex').slice(0, 8), last_four: key.slice(-4) };
}

async function insertAdminKey(
  { clock, vault }: RecordContext,
  tx: RecordTransaction,
  input: NewAdminKey,
): Promise<AdminKeyRow> {
  const { workspaceId, provider, organizationId, organizationName } = input;
  await requireWorkspace(tx, workspaceId);
  const id = newId('ak', clock);
  const columns = keyColumns(vault, id, input.key);
  const others = await listAdminKeyRows(tx, workspaceId);
  requireRoom(others.length, ADMIN_KEYS_PER_WORKSPACE_MAX, 'admin keys');
  refuseSecond(
    others.filter((other) => other.provider === provider),
    columns.fingerprint,
    organizationId,
  );
  const row: AdminKeyRow = {
    id,
    workspace_id: workspaceId,
    provider,
    name: parseName(input.name),
    ...columns,
    organization_id: organizationId,
    organization_name: organizationName,
    created_at: clock(),
    paused_at: null,
    pause_reason: null,
    removed_at: null,
    ...NO_FAILURES,
  };
  await tx.insertInto('admin_keys').values(row).execute();
  return row;
}

function readsSameOrganization(other: AdminKeyRow, fingerprint: string, organizationId: string | null): boolean {
  return other.fingerprint === fingerprint || (organizationId !== null && other.organization_id === organizationId);
}

/** Refuses a key that may read an organization which another key reads: usage that is read twice counts twice. */
function refuseSecond(others: readonly AdminKeyRow[], fingerprint: string, organizationId: string | null): void {
  const same = others.find((other) => readsSameOrganization(other, fingerprint, organizationId));
  if (same)
    throw new TollbookError(
      'conflict',
      `The admin key "${same.name}" reads this organization already, and read twice it would count twice. To read it with this key, replace that one (tollbook admin-keys replace ${same.id}), which keeps the data read so far. To start over, remove it first.`,
      'adminKey',
    );
  const unknown = others.find((other) => organizationId === null || other.organization_id === null);
  if (unknown)
    throw new TollbookError(
      'conflict',
      `The provider does not say whose key this is, so that "${unknown.name}" may read the same organization and all of it would count twice. To read the same with another key, replace that one; connect another organization in a workspace of its own.`,
      'adminKey',
    );
}

interface AdminKeyChange {
  readonly workspaceId: string;
  readonly id: string;
  readonly actor: Actor;
  /** Action in the audit row. */
  readonly action: string;
  readonly check: ChangeCheck<AdminKey> | undefined;
}

async function changeAdminKey(
  context: RecordContext,
  { workspaceId, id, actor, action, check }: AdminKeyChange,
  change: (row: AdminKeyRow) => Partial<AdminKeyRow>,
): Promise<AdminKey> {
  return await audited(context, actor, async (tx, note) => {
    const row = await loadAdminKey(tx, workspaceId, id);
    check?.(toAdminKey(row));
    const columns = change(row);
    if (Object.keys(columns).length === 0) return toAdminKey(row);
    await tx.updateTable('admin_keys').set(columns).where('id', '=', id).execute();
    const [before, after] = [toAdminKey(row), toAdminKey({ ...row, ...columns })];
    await note({ workspaceId, action, subject: id, before: adminKeyFacts(before), after: adminKeyFacts(after) });
    return after;
  });
}

async function loadAdminKey(db: RecordDb | RecordTransaction, workspaceId: string, id: string): Promise<AdminKeyRow> {
  const row = await selectAdminKeys(db).where('workspace_id', '=', workspaceId).where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('admin key', id);
  return row;
}

function listAdminKeyRows(db: RecordDb | RecordTransaction, workspaceId: string): Promise<AdminKeyRow[]> {
  return selectAdminKeys(db).where('workspace_id', '=', workspaceId).orderBy('created_at').orderBy('id').execute();
}

function selectAdminKeys(db: RecordDb | RecordTransaction) {
  return db.selectFrom('admin_keys').selectAll().where('removed_at', 'is', null);
}

/** Returns the fields that the audit row shows. */
function adminKeyFacts({ name, provider, fingerprint, organizationId, pausedAt, pausedReason }: AdminKey) {
  return { name, provider, fingerprint, organizationId, pausedAt, pausedReason };
}

function toAdminKey(row: AdminKeyRow): AdminKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    provider: row.provider,
    name: row.name,
    fingerprint: row.fingerprint,
    lastFour: row.last_four,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    createdAt: row.created_at,
    pausedAt: row.paused_at,
    pausedReason: row.pause_reason,
    nextAt: row.next_at,
    failures: row.failures,
    problem: row.problem,
  };
}

/** An organization's admin key, with which its reports are read. */
export interface AdminKey {
  readonly id: string;
  readonly workspaceId: string;
  readonly provider: string;
  readonly name: string;
  /** First 8 hex digits of its SHA-256. */
  readonly fingerprint: string;
  readonly lastFour: string;
  /** Reported by the provider; null = not reported. */
  readonly organizationId: string | null;
  readonly organizationName: string | null;
  readonly createdAt: number;
  /** null = it is read. */
  readonly pausedAt: number | null;
  /** Reason, if the service paused it. */
  readonly pausedReason: string | null;
  /** No request is sent before this time. */
  readonly nextAt: number;
  /** Number of failed attempts since the last success. */
  readonly failures: number;
  /** Readable description of the problem; null = none. */
  readonly problem: string | null;
}

export interface NewAdminKey {
  readonly workspaceId: string;
  readonly provider: string;
  readonly name: string;
  readonly key: string;
  readonly organizationId: string | null;
  readonly organizationName: string | null;
}

/** A new admin key, with its organization as reported by the provider. */
type AdminKeyReplacement = Pick<NewAdminKey, 'key' | 'organizationId' | 'organizationName'>;

/** Result of the last attempt, and the time of the next. */
type AdminKeyAttempt = Pick<AdminKey, 'nextAt' | 'failures' | 'problem'>;

/** Errors are `TollbookError`s: `conflict` for an organization that the workspace is connected to already. */
export interface AdminKeyRecords {
  create(input: NewAdminKey, actor: Actor): Promise<AdminKey>;
  /** Oldest first. */
  list(workspaceId: string): Promise<AdminKey[]>;
  get(workspaceId: string, id: string): Promise<AdminKey>;
  /** Returns true if another workspace reads the same organization. */
  isReadElsewhere(key: AdminKey): Promise<boolean>;
  /** Idempotent. `because` = the reason, if the service pauses it. */
  pause(
    workspaceId: string,
    id: string,
    because: string | null,
    actor: Actor,
    check?: ChangeCheck<AdminKey>,
  ): Promise<AdminKey>;
  /** Idempotent. Clears the recorded problem and makes the key due immediately. */
  resume(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<AdminKey>): Promise<AdminKey>;
  /**
   * Stores another admin key of the same organization, which continues where the old one stopped. Resumes a key that
   * the service paused. Throws `conflict` for a key of another organization.
   */
  replace(
    workspaceId: string,
    id: string,
    key: AdminKeyReplacement,
    actor: Actor,
    check?: ChangeCheck<AdminKey>,
  ): Promise<AdminKey>;
  /** Erases the key immediately. Its report rows are dropped later, then `forget` deletes the record. */
  remove(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<AdminKey>): Promise<void>;
  /** Returns the key in plain text. Throws a readable error when it can't be decrypted. */
  secret(id: string): Promise<string>;
  /** Returns the keys of all workspaces that are due and neither paused nor removed. */
  due(now: number): Promise<AdminKey[]>;
  /** Saves the result of an attempt, without an audit row. Ignored for a deleted key. */
  recordAttempt(id: string, turn: AdminKeyAttempt): Promise<void>;
  /** Returns the ids of removed keys in all workspaces. */
  removed(): Promise<string[]>;
  forget(id: string): Promise<void>;
}
