import { TollbookError } from '../errors.ts';

/** What an access token may do. `admin` includes the others. */
export const TOKEN_SCOPES = ['usage:read', 'alerts:read', 'webhooks:write', 'sync:write', 'admin'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** What a token gets when nothing is asked for: everything below `admin`. */
const DEFAULT_SCOPES: readonly TokenScope[] = TOKEN_SCOPES.filter((scope) => scope !== 'admin');

/** Reads scopes as people type them, without repetition, in the order of the table; none given = the defaults. */
export function parseScopes(names: readonly string[]): readonly TokenScope[] {
  const asked = new Set(names.map((name) => name.trim().toLowerCase()));
  for (const name of asked)
    if (!TOKEN_SCOPES.some((scope) => scope === name))
      throw new TollbookError(
        'invalid',
        `There is no scope "${name}"; choose from ${TOKEN_SCOPES.join(', ')}.`,
        'scopes',
      );
  return asked.size === 0 ? DEFAULT_SCOPES : TOKEN_SCOPES.filter((scope) => asked.has(scope));
}

export function scopeAllows(granted: readonly TokenScope[], needed: TokenScope): boolean {
  return granted.includes('admin') || granted.includes(needed);
}

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
