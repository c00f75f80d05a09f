import type { Scope } from '../../core/scopes.ts';
import type { AuditNote } from './audit.ts';
import type { Tx } from './tables.ts';

interface Whose {
  readonly userId: string;
  /** Absent = in all. */
  readonly workspaceId?: string;
  /** Tokens of these scopes may stay. Default: none. */
  readonly keep?: (scopes: readonly Scope[]) => boolean;
}

/**
 * Revokes tokens that a person made and may no longer have, so that none of them outlives the right to make it.
 * @returns their hashes, for telling the gate
 */
export async function revokeTokensOf(
  tx: Tx,
  note: (note: AuditNote) => Promise<void>,
  now: number,
  { userId, workspaceId, keep = () => false }: Whose,
): Promise<readonly string[]> {
  let query = tx.selectFrom('access_tokens').selectAll().where('made_by', '=', userId).where('revoked_at', 'is', null);
  if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId);
  const hashes: string[] = [];
  for (const { id, name, workspace_id, scopes, hash } of await query.execute()) {
    if (keep(JSON.parse(scopes) as Scope[])) continue;
    await tx.updateTable('access_tokens').set({ revoked_at: now }).where('id', '=', id).execute();
    await note({
      workspaceId: workspace_id,
      action: 'token.revoke',
      subject: id,
      before: { name, revokedAt: null },
      after: { name, revokedAt: now },
    });
    hashes.push(hash);
  }
  return hashes;
}
