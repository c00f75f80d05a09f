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
