import { TollbookError } from '../../domain/errors.ts';
import { parseEmail } from '../../domain/identity/email.ts';
import { type MemberRole, ROLES } from '../../domain/identity/access.ts';
import { hashSecret } from '../../lib/crypto/cipher.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited } from './audit.ts';
import { type ChangeCheck, type RecordContext, notFound, requireRoom, requireWorkspace } from './context.ts';
import { storedWord } from './stored-word.ts';
import { addMember, type Appointer, requireMayAppoint } from './members.ts';
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';
import { insertUser, newCode, type NewUser, parseUser, requireUser, type User } from './users.ts';

export interface Invitation {
  readonly id: string;
  readonly workspaceId: string;
  readonly role: MemberRole;
  /** The only e-mail address that may use it; null = anyone with the link. */
  readonly email: string | null;
  readonly createdBy: Actor;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** A user's id. */
  readonly acceptedBy: string | null;
  readonly acceptedAt: number | null;
  readonly revokedAt: number | null;
}

interface NewInvitation {
  readonly workspaceId: string;
  readonly role: MemberRole;
  readonly email: string | null;
  readonly expiresAt: number;
}

export interface InvitationRecords {
  /** The code is returned here and never again. */
  create(input: NewInvitation, by: Appointer): Promise<{ readonly invitation: Invitation; readonly code: string }>;
  /** Newest first. */
  list(workspaceId: string): Promise<Invitation[]>;
  /** Idempotent. */
  revoke(workspaceId: string, id: string, by: Appointer, check?: ChangeCheck<Invitation>): Promise<Invitation>;
  /** Returns an open invitation; null = no open invitation with this code. */
  open(code: string): Promise<Invitation | null>;
  /** Makes an existing or a new user a member. `not_found` = the code is invalid. */
  accept(code: string, who: { readonly userId: string } | NewUser): Promise<User>;
}

/** Neither accepted, revoked nor expired. */
const OPEN_PER_WORKSPACE_MAX = 100;

export function invitationRecords(context: RecordContext): InvitationRecords {
  const { db, clock } = context;
  return {
    create: (input, by) =>
      audited(context, by.actor, async (tx, note) => {
        requireMayAppoint(by, input.role);
        const { workspaceId, role, expiresAt } = input;
        await requireWorkspace(tx, workspaceId);
        await requireSpace(tx, workspaceId, clock());
        const code = newCode();
        const row: InvitationRow = {
          id: newId('inv', clock),
          workspace_id: workspaceId,
          hash: hashSecret(code),
          role,
          email: input.email === null ? null : parseEmail(input.email),
          created_by: by.actor,
          created_at: clock(),
          expires_at: expiresAt,
          accepted_by: null,
          accepted_at: null,
          revoked_at: null,
        };
        await tx.insertInto('invitations').values(row).execute();
        const invitation = toInvitation(row);
        const after = invitationFacts(invitation);
        await note({ workspaceId, action: 'invitation.create', subject: row.id, before: null, after });
        return { invitation, code };
      }),
    async list(workspaceId) {
      const query = db.selectFrom('invitations').selectAll().where('workspace_id', '=', workspaceId);
      return (await query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()).map(toInvitation);
    },
    revoke: (workspaceId, id, by, check) =>
      audited(context, by.actor, async (tx, note) => {
        const before = await loadInvitation(tx, workspaceId, id);
        requireMayAppoint(by, before.role);
        check?.(before);
        if (before.acceptedAt !== null)
          throw new TollbookError('conflict', 'This invitation was accepted. Remove the member instead.');
        if (before.revokedAt !== null) return before;
        const after = { ...before, revokedAt: clock() };
        await tx.updateTable('invitations').set({ revoked_at: after.revokedAt }).where('id', '=', id).execute();
        await note({
          workspaceId,
          action: 'invitation.revoke',
          subject: id,
          before: invitationFacts(before),
          after: invitationFacts(after),
        });
        return after;
      }),
    open: (code) => findOpenInvitation(db, code, clock()),
    accept: (code, who) => acceptInvitation(context, code, who),
  };
}

type InvitationRow = RecordTables['invitations'];

async function acceptInvitation(
  context: RecordContext,
  code: string,
  who: { readonly userId: string } | NewUser,
): Promise<User> {
  const { clock } = context;
  const added = 'userId' in who ? null : parseUser(context, who);
  const userId = added?.id ?? ('userId' in who ? who.userId : '');
  return audited(context, userId, async (tx, note) => {
    const invitation = await findOpenInvitation(tx, code, clock());
    if (!invitation)
      throw new TollbookError(
        'not_found',
        'This invitation was used, revoked or has expired. Ask its sender for a new one.',
      );
    if (added) await insertUser(tx, added);
    const user = await requireUser(tx, userId);
    if (invitation.email !== null && invitation.email !== user.email)
      throw new TollbookError('invalid', 'This invitation is for another e-mail address.', 'email');
    const { id, workspaceId, role } = invitation;
    const values = { accepted_by: userId, accepted_at: clock() };
    await tx.updateTable('invitations').set(values).where('id', '=', id).execute();
    await note({
      workspaceId,
      action: 'invitation.accept',
      subject: id,
      before: invitationFacts(invitation),
      after: { ...invitationFacts(invitation), acceptedBy: userId },
    });
    return addMember(tx, note, { workspaceId, userId, role, since: clock() });
  });
}

async function findOpenInvitation(db: RecordDb, code: string, now: number): Promise<Invitation | null> {
  const query = db.selectFrom('invitations').selectAll().where('hash', '=', hashSecret(code));
  const row = await query.executeTakeFirst();
  return row && isOpen(row, now) ? toInvitation(row) : null;
}

function isOpen({ accepted_at, revoked_at, expires_at }: InvitationRow, now: number): boolean {
  return accepted_at === null && revoked_at === null && expires_at > now;
}

async function requireSpace(tx: RecordTransaction, workspaceId: string, now: number): Promise<void> {
  const query = tx.selectFrom('invitations').selectAll().where('workspace_id', '=', workspaceId);
  const rows = await query.where('expires_at', '>', now).execute();
  requireRoom(rows.filter((row) => isOpen(row, now)).length, OPEN_PER_WORKSPACE_MAX, 'open invitations');
}

async function loadInvitation(db: RecordDb, workspaceId: string, id: string): Promise<Invitation> {
  const query = db.selectFrom('invitations').selectAll().where('workspace_id', '=', workspaceId);
  const row = await query.where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('invitation', id);
  return toInvitation(row);
}

function invitationFacts({ role, email, expiresAt, revokedAt }: Invitation): Record<string, unknown> {
  return { role, email, expiresAt, revokedAt };
}

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    role: storedWord(ROLES, row.role),
    email: row.email,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    acceptedBy: row.accepted_by,
    acceptedAt: row.accepted_at,
    revokedAt: row.revoked_at,
  };
}
