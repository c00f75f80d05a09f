import { audited } from './audit.ts';
import type { Context } from './context.ts';
import type { UserRecords } from './people-records.ts';

/** Where somebody is signed in at once. */
const SESSIONS_PER_USER_MAX = 50;

/** The library that signs in makes them and looks them up; these see to it that they end. */
export function sessionsOf(
  context: Context,
): Pick<UserRecords, 'sessions' | 'endSessions' | 'tidySessions' | 'noteVisit'> {
  const { db, clock } = context;
  const now = (): string => new Date(clock()).toISOString();
  const newestFirst = (id: string) =>
    db.selectFrom('user_sessions').where('user_id', '=', id).orderBy('created_at', 'desc').orderBy('id', 'desc');
  return {
    async sessions(id) {
      const rows = await newestFirst(id).selectAll().where('expires_at', '>', now()).execute();
      return rows.map((row) => ({
        id: row.id,
        createdAt: Date.parse(row.created_at),
        renewedAt: Date.parse(row.updated_at),
        expiresAt: Date.parse(row.expires_at),
        address: row.ip_address,
        userAgent: row.user_agent,
      }));
    },
    endSessions: (id) =>
      audited(context, id, async (tx, note) => {
        await tx.deleteFrom('user_sessions').where('user_id', '=', id).execute();
        await note({ workspaceId: null, action: 'user.end_sessions', subject: id, before: null, after: null });
      }),
    noteVisit: (id, deed, address) =>
      // Who tried a password that was wrong is not known.
      audited(context, deed === 'sign_in_refused' ? 'system' : id, (_, note) =>
        note({ workspaceId: null, action: `user.${deed}`, subject: id, before: null, after: { address } }),
      ),
    async tidySessions(id) {
      await db.deleteFrom('user_sessions').where('expires_at', '<=', now()).execute();
      const kept = newestFirst(id).select('id').limit(SESSIONS_PER_USER_MAX);
      await db.deleteFrom('user_sessions').where('user_id', '=', id).where('id', 'not in', kept).execute();
    },
  };
}
