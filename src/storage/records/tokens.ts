import { randomBytes } from 'node:crypto';
import { TollbookError } from '../../domain/errors.ts';
import { parseName } from '../../domain/identity/name.ts';
import { parseScopes } from '../../domain/identity/access.ts';
import { formatSecret, SECRET_RANDOM_BYTES } from '../../domain/identity/secret.ts';
import { hashSecret } from '../../lib/crypto/cipher.ts';
import { newId } from '../../lib/crypto/id.ts';
import { audited } from './audit.ts';
import { type Context, notFound, requireRoom, requireWorkspace } from './context.ts';
import { parseExpiry } from './expiry.ts';
import type { AccessToken, TokenRecords } from './records.ts';
import type { Db, Tables, Tx } from './tables.ts';

/** Not revoked. */
const TOKENS_PER_WORKSPACE_MAX = 1_000;

export function tokenRecords(context: Context): TokenRecords {
  const { db, clock } = context;
  return {
    create: (input, actor) => {
      const secret = formatSecret(randomBytes(SECRET_RANDOM_BYTES));
      const hash = hashSecret(secret.text);
      return audited(context, actor, async (tx, note) => {
        const row: Row = {
          id: newId('tok', clock),
          workspace_id: input.workspaceId,
          name: parseName(input.name),
          public_id: secret.publicId,
          hash,
          scopes: JSON.stringify(parseScopes(input.scopes)),
          created_at: clock(),
          expires_at: parseExpiry(input.expiresAt, clock()),
          revoked_at: null,
          made_by: actor,
        };
        await requireWorkspace(tx, row.workspace_id);
        await requireFreeName(tx, row);
        await tx.insertInto('access_tokens').values(row).execute();
        const token = fromRow(row);
        await note({
          workspaceId: row.workspace_id,
          action: 'token.create',
          subject: row.id,
          before: null,
          after: facts(token),
        });
        return { token, secret: secret.text, hash };
      });
    },
    async list(workspaceId) {
      const query = db.selectFrom('access_tokens').selectAll().where('workspace_id', '=', workspaceId);
      return (await query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()).map(fromRow);
    },
    get: async (workspaceId, id) => fromRow(await load(db, workspaceId, id)),
    revoke: (workspaceId, id, actor) =>
      audited(context, actor, async (tx, note) => {
        const row = await load(tx, workspaceId, id);
        if (row.revoked_at !== null) return { token: fromRow(row), hash: row.hash };
        const revoked = { ...row, revoked_at: clock() };
        await tx.updateTable('access_tokens').set({ revoked_at: revoked.revoked_at }).where('id', '=', id).execute();
        const token = fromRow(revoked);
        await note({
          workspaceId,
          action: 'token.revoke',
          subject: id,
          before: facts(fromRow(row)),
          after: facts(token),
        });
        return { token, hash: row.hash };
      }),
    async findByHash(hash) {
      const row = await db.selectFrom('access_tokens').selectAll().where('hash', '=', hash).executeTakeFirst();
      const live = row && row.revoked_at === null && (row.expires_at === null || row.expires_at > clock());
      return live ? fromRow(row) : null;
    },
    async hashes() {
      return (await db.selectFrom('access_tokens').select('hash').where('revoked_at', 'is', null).execute()).map(
        ({ hash }) => hash,
      );
    },
  };
}

type Row = Tables['access_tokens'];

async function load(db: Db, workspaceId: string, id: string): Promise<Row> {
  const query = db.selectFrom('access_tokens').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id);
  const row = await query.executeTakeFirst();
  if (!row) throw notFound('access token', id);
  return row;
}

async function requireFreeName(tx: Tx, { workspace_id, name }: Row): Promise<void> {
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

function facts({ name, publicId, scopes, expiresAt, revokedAt }: AccessToken): Record<string, unknown> {
  return { name, publicId, scopes, expiresAt, revokedAt };
}

function fromRow(row: Row): AccessToken {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    publicId: row.public_id,
    scopes: JSON.parse(row.scopes) as AccessToken['scopes'],
    createdAt: row.created_at,
    madeBy: row.made_by,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
