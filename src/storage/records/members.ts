import { TollbookError } from '../../domain/errors.ts';
import { mayAppoint, type MemberRole, ROLES, type TokenScope, tokenScopes } from '../../domain/identity/access.ts';
import { type Actor, audited, type AuditNote } from './audit.ts';
import { type RecordContext, notFound, requireRoom } from './context.ts';
import { revokeUserInvitations } from './revoke-invitations.ts';
import { storedWord } from './stored-word.ts';
import { type RevokedToken, revokeUserTokens } from './tokens.ts';
import { requireUser, toUser, type User, userFacts } from './users.ts';
import type { RecordDb, RecordTransaction } from './tables.ts';

interface Membership {
  readonly workspaceId: string;
  readonly workspace: string;
  readonly timeZone: string;
  readonly role: MemberRole;
}

export interface Member {
  readonly user: User;
  readonly role: MemberRole;
  readonly since: number;
}

/**
 * The author of a membership change, who can't grant or revoke a higher role. null = the owner of the data folder.
 */
export interface Appointer {
  readonly actor: Actor;
  readonly role: MemberRole | null;
}

export interface MemberRecords {
  /** Oldest first. */
  of(userId: string): Promise<Membership[]>;
  /** null = no member. */
  role(workspaceId: string, userId: string): Promise<MemberRole | null>;
  /** Oldest first. */
  list(workspaceId: string): Promise<Member[]>;
  /**
   * Changes a role. Throws for the last owner. Revokes open invitations and tokens that the new role could not
   * create. `check` runs inside the transaction and may throw.
   */
  setRole(
    workspaceId: string,
    userId: string,
    role: MemberRole,
    by: Appointer,
    check?: (now: Member) => void,
  ): Promise<{ readonly member: Member; readonly revoked: readonly RevokedToken[] }>;
  /** Removes a member and revokes the open invitations and tokens that they created. Wrapped keys keep working. */
  remove(
    workspaceId: string,
    userId: string,
    by: Appointer,
    check?: (now: Member) => void,
  ): Promise<{ readonly member: Member; readonly revoked: readonly RevokedToken[] }>;
}

const MEMBERS_PER_WORKSPACE_MAX = 1_000;

export function memberRecords(context: RecordContext): MemberRecords {
  const { db, clock } = context;
  return {
    async of(userId) {
      const rows = await db
        .selectFrom('members')
        .innerJoin('workspaces', 'workspaces.id', 'members.workspace_id')
        .select(['workspaces.id', 'workspaces.name', 'workspaces.time_zone', 'members.role'])
        .where('members.user_id', '=', userId)
        .orderBy('members.since')
        .orderBy('workspaces.id')
        .execute();
      return rows.map(({ id, name, time_zone, role }) => ({
        workspaceId: id,
        workspace: name,
        timeZone: time_zone,
        role: storedWord(ROLES, role),
      }));
    },
    role: (workspaceId, userId) => roleIn(db, workspaceId, userId),
    list: (workspaceId) => listMembers(db, workspaceId),
    setRole: (workspaceId, userId, role, by, check) =>
      audited(context, by.actor, async (tx, note) => {
        const before = await requireMember(tx, workspaceId, userId);
        check?.(before);
        requireMayAppoint(by, before.role, role);
        if (role !== 'owner') await requireOtherOwner(tx, workspaceId, before);
        const member = { ...before, role };
        if (role === before.role) return { member, revoked: [] };
        await updateRole(tx, workspaceId, userId, role);
        await note({
          workspaceId,
          action: 'member.role',
          subject: userId,
          before: { ...userFacts(before.user), role: before.role },
          after: { ...userFacts(before.user), role },
        });
        const may = tokenScopes(role);
        const keep = (scopes: readonly TokenScope[]): boolean => scopes.every((scope) => may.includes(scope));
        await revokeUserInvitations(tx, note, clock(), { userId, workspaceId, role });
        return { member, revoked: await revokeUserTokens(tx, note, clock(), { userId, workspaceId, keep }) };
      }),
    remove: (workspaceId, userId, by, check) =>
      audited(context, by.actor, async (tx, note) => {
        const member = await requireMember(tx, workspaceId, userId);
        check?.(member);
        requireMayAppoint(by, member.role);
        await requireOtherOwner(tx, workspaceId, member);
        await tx.deleteFrom('members').where('workspace_id', '=', workspaceId).where('user_id', '=', userId).execute();
        const before = { ...userFacts(member.user), role: member.role };
        await note({ workspaceId, action: 'member.remove', subject: userId, before, after: null });
        await revokeUserInvitations(tx, note, clock(), { userId, workspaceId, role: null });
        return { member, revoked: await revokeUserTokens(tx, note, clock(), { userId, workspaceId }) };
      }),
  };
}

async function listMembers(db: RecordDb, workspaceId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .selectAll('users')
    .select(['members.role', 'members.since'])
    .where('members.workspace_id', '=', workspaceId)
    .orderBy('members.since')
    .orderBy('users.id')
    .execute();
  return rows.map((row) => ({ user: toUser(row), role: storedWord(ROLES, row.role), since: row.since }));
}

async function roleIn(db: RecordDb, workspaceId: string, userId: string): Promise<MemberRole | null> {
  const query = db.selectFrom('members').select('role').where('workspace_id', '=', workspaceId);
  const row = await query.where('user_id', '=', userId).executeTakeFirst();
  return row ? storedWord(ROLES, row.role) : null;
}

async function requireMember(db: RecordDb, workspaceId: string, userId: string): Promise<Member> {
  const member = (await listMembers(db, workspaceId)).find(({ user }) => user.id === userId);
  if (!member) throw notFound('member', userId);
  return member;
}

async function updateRole(tx: RecordTransaction, workspaceId: string, userId: string, role: MemberRole): Promise<void> {
  const query = tx.updateTable('members').set({ role }).where('workspace_id', '=', workspaceId);
  await query.where('user_id', '=', userId).execute();
}

/** Adds a user to a workspace. Throws `conflict` for a member. */
export async function addMember(
  tx: RecordTransaction,
  note: (note: AuditNote) => Promise<void>,
  row: { readonly workspaceId: string; readonly userId: string; readonly role: MemberRole; readonly since: number },
): Promise<User> {
  const { workspaceId, userId, role, since } = row;
  const user = await requireUser(tx, userId);
  if ((await roleIn(tx, workspaceId, userId)) !== null)
    throw new TollbookError('conflict', 'You are a member of this workspace already.');
  const members = tx.selectFrom('members').where('workspace_id', '=', workspaceId);
  const { count } = await members
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  requireRoom(count, MEMBERS_PER_WORKSPACE_MAX, 'members');
  await tx.insertInto('members').values({ workspace_id: workspaceId, user_id: userId, role, since }).execute();
  const after = { ...userFacts(user), role };
  await note({ workspaceId, action: 'member.add', subject: userId, before: null, after });
  return user;
}

/** Throws unless the author may grant and revoke each of these roles. */
export function requireMayAppoint(by: Appointer, ...roles: readonly MemberRole[]): void {
  const { role } = by;
  if (role === null || roles.every((one) => mayAppoint(role, one))) return;
  throw new TollbookError('missing_scope', 'Only an owner can add or remove owners.');
}

async function requireOtherOwner(tx: RecordTransaction, workspaceId: string, { user, role }: Member): Promise<void> {
  if (role !== 'owner') return;
  const members = await listMembers(tx, workspaceId);
  if (members.some((one) => one.role === 'owner' && one.user.id !== user.id)) return;
  throw new TollbookError('conflict', 'The workspace has no other owner. Add one first.');
}
