import { randomBytes } from 'node:crypto';
import { TollbookError } from '../../domain/errors.ts';
import { parseName } from '../../domain/identity/name.ts';
import { parseScopes, type TokenScope } from '../../domain/identity/access.ts';
import { formatSecret, SECRET_RANDOM_BYTES } from '../../domain/identity/secret.ts';
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
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';

/** An access token that was revoked. */
export interface RevokedToken {
  readonly id: string;
  readonly hash: string;
}

export interface AccessToken {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly publicId: string;
  readonly scopes: readonly TokenScope[];
  readonly createdAt: number;
  /** null = it was made before that was kept. */
  readonly createdBy: Actor | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface TokenRecords {
  /** Returns the secret, which is not stored. Names are unique among active tokens. */
  create(
    input: { workspaceId: string; name: string; scopes: readonly TokenScope[]; expiresAt: number | null },
    actor: Actor,
  ): Promise<{ token: AccessToken; secret: string; hash: string }>;
  list(workspaceId: string): Promise<AccessToken[]>;
  get(workspaceId: string, id: string): Promise<AccessToken>;
  /** Idempotent. `hash` identifies the token for the gateway. */
  revoke(
    workspaceId: string,
    id: string,
    actor: Actor,
    check?: ChangeCheck<AccessToken>,
  ): Promise<{ token: AccessToken; hash: string }>;
  /** Returns an active token; null = none. */
  findByHash(hash: string): Promise<AccessToken | null>;
  /** Returns the id of a token, also of one that was revoked; null = there is none with this hash. */
  idByHash(hash: string): Promise<string | null>;
  /** Returns the hashes of all active tokens. */
  hashes(): Promise<string[]>;
}

/** Not revoked. */
const TOKENS_PER_WORKSPACE_MAX = 1_000;

export function tokenRecords(context: RecordContext): TokenRecords {
  const { db, clock } = context;
  return {
    create: (input, actor) => {
      const secret = formatSecret(randomBytes(SECRET_RANDOM_BYTES));
      const hash = hashSecret(secret.text);
      return audited(context, actor, async (tx, note) => {
        const row: TokenRow = {
          id: newId('tok', clock),
          workspace_id: input.workspaceId,
          name: parseName(input.name),
          public_id: secret.publicId,
          hash,
          scopes: JSON.stringify(parseScopes(input.scopes)),
          created_at: clock(),
          expires_at: parseExpiry(input.expiresAt, clock()),
          revoked_at: null,
          created_by: actor,
        };
        await requireWorkspace(tx, row.workspace_id);
        await requireFreeTokenName(tx, row);
        await tx.insertInto('access_tokens').values(row).execute();
        const token = toAccessToken(row);
        await note({
          workspaceId: row.workspace_id,
          action: 'token.create',
          subject: row.id,
          before: null,
          after: tokenFacts(token),
        });
        return { token, secret: secret.text, hash };
      });
    },
    async list(workspaceId) {
      const query = db.selectFrom('access_tokens').selectAll().where('workspace_id', '=', workspaceId);
      return (await query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()).map(toAccessToken);
    },
    get: async (workspaceId, id) => toAccessToken(await loadToken(db, workspaceId, id)),
    revoke: (workspaceId, id, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const row = await loadToken(tx, workspaceId, id);
        check?.(toAccessToken(row));
        if (row.revoked_at !== null) return { token: toAccessToken(row), hash: row.hash };
        const revoked = { ...row, revoked_at: clock() };
        await tx.updateTable('access_tokens').set({ revoked_at: revoked.revoked_at }).where('id', '=', id).execute();
        const token = toAccessToken(revoked);
        await note({
          workspaceId,
          action: 'token.revoke',
          subject: id,
          before: tokenFacts(toAccessToken(row)),
          after: tokenFacts(token),
        });
        return { token, hash: row.hash };
      }),
    ...hashReaders(context),
  };
}

type HashReader = 'findByHash' | 'idByHash' | 'hashes';

function hashReaders({ db, clock }: RecordContext): Pick<TokenRecords, HashReader> {
  return {
    async findByHash(hash) {
      const row = await db.selectFrom('access_tokens').selectAll().where('hash', '=', hash).executeTakeFirst();
      const live = row && row.revoked_at === null && (row.expires_at === null || row.expires_at > clock());
      return live ? toAccessToken(row) : null;
    },
    async idByHash(hash) {
      const row = await db.selectFrom('access_tokens').select('id').where('hash', '=', hash).executeTakeFirst();
      return row?.id ?? null;
    },
    async hashes() {
      return (await db.selectFrom('access_tokens').select('hash').where('revoked_at', 'is', null).execute()).map(
        ({ hash }) => hash,
      );
    },
  };
}

type TokenRow = RecordTables['access_tokens'];

async function loadToken(db: RecordDb, workspaceId: string, id: string): Promise<TokenRow> {
  const query = db.selectFrom('access_tokens').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id);
  const row = await query.executeTakeFirst();
  if (!row) throw notFound('access token', id);
  return row;
}

async function requireFreeTokenName(tx: RecordTransaction, { workspace_id, name }: TokenRow): Promise<void> {
  const live = await tx
    .selectFrom('access_tokens')
    .select('name')
    .where('workspace_id', '=', workspace_id)
    .where('revoked_at', 'is', null)
    .execute();
  requireRoom(live.length, TOKENS_PER_WORKSPACE_MAX, 'access tokens');
  if (live.some((token) => token.name === name))
    throw new TollbookError(
      'conflict',
      `There is an access token named "${name}" already. Revoke it, or choose another name.`,
      'name',
    );
}

function tokenFacts({ name, publicId, scopes, expiresAt, revokedAt }: AccessToken): Record<string, unknown> {
  return { name, publicId, scopes, expiresAt, revokedAt };
}

function toAccessToken(row: TokenRow): AccessToken {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    publicId: row.public_id,
    scopes: JSON.parse(row.scopes) as AccessToken['scopes'],
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

interface TokenOwner {
  readonly userId: string;
  /** Absent = in all workspaces. */
  readonly workspaceId?: string;
  /** Decides which tokens may stay, by scopes. Default: none. */
  readonly keep?: (scopes: readonly TokenScope[]) => boolean;
}

/**
 * Revokes tokens that a person created, directly or with such a token, and may no longer have.
 * @returns the revoked tokens
 */
export async function revokeUserTokens(
  tx: RecordTransaction,
  note: (note: AuditNote) => Promise<void>,
  now: number,
  { keep = () => false, ...whose }: TokenOwner,
): Promise<readonly RevokedToken[]> {
  const revoked: RevokedToken[] = [];
  for (const { id, name, workspace_id, scopes, hash, revoked_at } of await listUserTokens(tx, whose)) {
    if (revoked_at !== null || keep(JSON.parse(scopes) as TokenScope[])) continue;
    await tx.updateTable('access_tokens').set({ revoked_at: now }).where('id', '=', id).execute();
    await note({
      workspaceId: workspace_id,
      action: 'token.revoke',
      subject: id,
      before: { name, revokedAt: null },
      after: { name, revokedAt: now },
    });
    revoked.push({ id, hash });
  }
  return revoked;
}

/** Lists all tokens that a person created, directly or with another of their tokens, including revoked ones. */
export async function listUserTokens(
  tx: RecordTransaction,
  { userId, workspaceId }: Omit<TokenOwner, 'keep'>,
): Promise<readonly RecordTables['access_tokens'][]> {
  const found: RecordTables['access_tokens'][] = [];
  let makers = [userId];
  while (makers.length > 0) {
    let query = tx.selectFrom('access_tokens').selectAll().where('created_by', 'in', makers);
    if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId);
    const made = await query.execute();
    found.push(...made);
    makers = made.map(({ id }) => id);
  }
  return found;
}
