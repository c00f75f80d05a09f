import { mayAppoint, type MemberRole, ROLES } from '../../domain/identity/access.ts';
import type { AuditNote } from './audit.ts';
import { storedWord } from './stored-word.ts';
import type { RecordTransaction } from './tables.ts';
import { listUserTokens } from './tokens.ts';

interface InviterFilter {
  readonly userId: string;
  /** Absent = in all workspaces. */
  readonly workspaceId?: string;
  /** New role; null = no longer a member. */
  readonly role: MemberRole | null;
}

/** Revokes open invitations that a person created, directly or with a token, and may no longer create. */
export async function revokeUserInvitations(
  tx: RecordTransaction,
  note: (note: AuditNote) => Promise<void>,
  now: number,
  { role, ...whose }: InviterFilter,
): Promise<void> {
  const makers = [whose.userId, ...(await listUserTokens(tx, whose)).map(({ id }) => id)];
  let query = tx.selectFrom('invitations').selectAll().where('created_by', 'in', makers);
  if (whose.workspaceId !== undefined) query = query.where('workspace_id', '=', whose.workspaceId);
  const open = query.where('accepted_at', 'is', null).where('revoked_at', 'is', null).where('expires_at', '>', now);
  for (const row of await open.execute()) {
    if (role !== null && mayAppoint(role, storedWord(ROLES, row.role))) continue;
    await tx.updateTable('invitations').set({ revoked_at: now }).where('id', '=', row.id).execute();
    const facts = { role: row.role, email: row.email, expiresAt: row.expires_at };
    await note({
      workspaceId: row.workspace_id,
      action: 'invitation.revoke',
      subject: row.id,
      before: { ...facts, revokedAt: null },
      after: { ...facts, revokedAt: now },
    });
  }
}
