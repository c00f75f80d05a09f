import type { Role } from './account.ts';

/**
 * What people may do in a workspace. The service decides; a page only leaves out what would be refused.
 * - `create_keys`  make wrapped keys, and change those that one made
 * - `mark_alerts`  mark alerts as read
 * - `change`       everything else in the workspace; members and the audit log too
 * - `own`          owners, and what concerns the whole installation
 */
export type Right = 'create_keys' | 'mark_alerts' | 'change' | 'own';

const RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  viewer: [],
  member: ['create_keys', 'mark_alerts'],
  admin: ['create_keys', 'mark_alerts', 'change'],
  owner: ['create_keys', 'mark_alerts', 'change', 'own'],
};

export function may(role: Role, right: Right): boolean {
  return RIGHTS[role].includes(right);
}
