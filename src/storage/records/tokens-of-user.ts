import type { TokenScope } from '../../domain/identity/access.ts';
import type { AuditNote } from './audit.ts';
import type { RevokedToken } from './people-records.ts';
import type { RecordTables, RecordTransaction } from './tables.ts';

interface TokenOwner {
  readonly userId: string;
  /** Absent = in all. */
  readonly workspaceId?: string;
  /** Tokens of these scopes may stay. Default: none. */
  readonly keep?: (scopes: readonly TokenScope[]) => boolean;
}

/**
 * Revokes tokens that a person made and may no longer have, so that none of them outlives the right to make it. Those
 * that were made with such a token are the person's, too.
 * @returns them, for telling whoever lets them in
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

/** All that somebody made, themselves or with a token that they made, revoked ones too. */
export async function listUserTokens(
  tx: RecordTransaction,
  { userId, workspaceId }: Omit<TokenOwner, 'keep'>,
): Promise<readonly RecordTables['access_tokens'][]> {
  const found: RecordTables['access_tokens'][] = [];
  let makers = [userId];
  while (makers.length > 0) {
    let query = tx.selectFrom('access_tokens').selectAll().where('made_by', 'in', makers);
    if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId);
    const made = await query.execute();
    found.push(...made);
    makers = made.map(({ id }) => id);
  }
  return found;
}
