import type { MemberRole } from './account.ts';

/**
 * Rights in a workspace beyond reading. The service enforces them; pages only hide what it would refuse.
 * - `work` create wrapped keys and access tokens, change own ones, mark alerts as read
 * - `manage` everything else in the workspace, including members and the audit log
 */
export type UserRight = 'work' | 'manage';

const RIGHTS: Readonly<Record<MemberRole, readonly UserRight[]>> = {
  viewer: [],
  member: ['work'],
  admin: ['work', 'manage'],
  owner: ['work', 'manage'],
};

export function may(role: MemberRole, right: UserRight): boolean {
  return RIGHTS[role].includes(right);
}

const ROLES: readonly MemberRole[] = ['viewer', 'member', 'admin', 'owner'];

/** Returns the roles that a user may assign: only owners may appoint owners. */
export function rolesToGive(own: MemberRole): readonly MemberRole[] {
  return own === 'owner' ? ROLES : ROLES.filter((role) => role !== 'owner');
}

/** True if a user with the first role may change a member with the second. */
export function mayAppoint(own: MemberRole, member: MemberRole): boolean {
  return own === 'owner' || (own === 'admin' && member !== 'owner');
}
