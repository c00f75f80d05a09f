import type { MemberRole } from './account.ts';

/**
 * What people may do in a workspace beyond reading it. The service decides; a page only leaves out what would be refused.
 * - `work`    make wrapped keys and access tokens, change those that one made, mark alerts as read
 * - `manage`  everything else in the workspace; members and the audit log too
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

/** Roles that somebody may give: owners are made by owners. */
export function rolesToGive(own: MemberRole): readonly MemberRole[] {
  return own === 'owner' ? ROLES : ROLES.filter((role) => role !== 'owner');
}

/** Whether somebody may change a member at all. */
export function mayAppoint(own: MemberRole, member: MemberRole): boolean {
  return own === 'owner' || (own === 'admin' && member !== 'owner');
}
