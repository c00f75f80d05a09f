import type { Role } from './account.ts';

/**
 * What people may do in a workspace beyond reading it. The service decides; a page only leaves out what would be refused.
 * - `work`    make wrapped keys and access tokens, change those that one made, mark alerts as read
 * - `manage`  everything else in the workspace; members and the audit log too
 */
export type Right = 'work' | 'manage';

const RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  viewer: [],
  member: ['work'],
  admin: ['work', 'manage'],
  owner: ['work', 'manage'],
};

export function may(role: Role, right: Right): boolean {
  return RIGHTS[role].includes(right);
}
