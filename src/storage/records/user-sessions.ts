import { TollbookError } from '../../domain/errors.ts';
import { audited, type AuditNote, auditNothing } from './audit.ts';
import type { RecordContext } from './context.ts';
import type { UserRecords } from './people-records.ts';

/** Where somebody is signed in at once. */
const SESSIONS_PER_USER_MAX = 50;

/** The library that signs in makes them and looks them up; these see to it that they end. */
export function userSessionRecords(
  context: RecordContext,
): Pick<UserRecords, 'sessions' | 'endSession' | 'endSessions' | 'tidySessions' | 'noteVisit' | 'noteRefusal'> {
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
    endSession: (id, sessionId) =>
      audited(context, id, async (tx, note) => {
        const ended = tx.deleteFrom('user_sessions').where('user_id', '=', id).where('id', '=', sessionId);
        const row = await ended.returning('ip_address').executeTakeFirst();
        if (!row) throw new TollbookError('not_found', 'You are not signed in there, or no longer.', 'id');
        const before = { address: row.ip_address };
        await note({ workspaceId: null, action: 'user.end_session', subject: id, before, after: null });
      }),
    endSessions: (id) =>
      audited(context, id, async (tx, note) => {
        await tx.deleteFrom('user_sessions').where('user_id', '=', id).execute();
        await note({ workspaceId: null, action: 'user.end_sessions', subject: id, before: null, after: null });
      }),
    noteVisit: (id, deed, address) => audited(context, id, (_, note) => note(signInNote(id, deed, address))),
    noteRefusal: (email, address) =>
      // Who tried a password that was wrong is not known.
      audited(context, 'system', async (tx, note) => {
        const user = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
        const refused = signInNote(user?.id ?? '', 'sign_in_refused', address);
        await (user ? note(refused) : auditNothing(tx, clock(), refused));
      }),
    async tidySessions(id) {
      await db.deleteFrom('user_sessions').where('expires_at', '<=', now()).execute();
      const kept = newestFirst(id).select('id').limit(SESSIONS_PER_USER_MAX);
      await db.deleteFrom('user_sessions').where('user_id', '=', id).where('id', 'not in', kept).execute();
    },
  };
}

function signInNote(id: string, deed: string, address: string | null): AuditNote {
  return { workspaceId: null, action: `user.${deed}`, subject: id, before: null, after: { address } };
}
