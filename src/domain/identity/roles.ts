import { type TokenScope, TOKEN_SCOPES } from './scopes.ts';

/** What a person may be in a workspace, the least first. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type MemberRole = (typeof ROLES)[number];

/**
 * What an endpoint asks of a person who is signed in: `read` the workspace; `work` in it: keys and tokens of one's own,
 * uploads, alerts; `manage` it; `operate` the whole installation; `folder` = owning the data folder, so that nobody has
 * it in a browser.
 */
export type AccessRight = 'read' | 'work' | 'manage' | 'operate' | 'folder';

const RIGHTS: Readonly<Record<MemberRole, readonly AccessRight[]>> = {
  viewer: ['read'],
  member: ['read', 'work'],
  admin: ['read', 'work', 'manage'],
  owner: ['read', 'work', 'manage'],
};

/** @param ownsInstallation the workspace is the one whose owners own the installation */
export function roleHas(role: MemberRole, right: AccessRight, ownsInstallation: boolean): boolean {
  if (right === 'operate') return role === 'owner' && ownsInstallation;
  return RIGHTS[role].includes(right);
}

/** What tokens that a person makes may do: no more than the person. */
export function tokenScopes(role: MemberRole): readonly TokenScope[] {
  if (roleHas(role, 'manage', false)) return TOKEN_SCOPES;
  return roleHas(role, 'work', false) ? ['usage:read', 'alerts:read', 'sync:write'] : [];
}

/** Whoever manages members may do so below owner; owners may do it all. */
export function mayAppoint(by: MemberRole, role: MemberRole): boolean {
  return by === 'owner' || (by === 'admin' && role !== 'owner');
}
