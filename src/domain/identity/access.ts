import { TollbookError } from '../errors.ts';

/** Permissions of access tokens. `admin` includes all others. */
export const TOKEN_SCOPES = [
  'usage:read',
  'alerts:read',
  'webhooks:write',
  'sync:write',
  'otlp:write',
  'admin',
] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** Permissions of a token when none are requested. Telemetry has tokens of its own: they are on every machine. */
const DEFAULT_SCOPES: readonly TokenScope[] = ['usage:read', 'alerts:read', 'webhooks:write', 'sync:write'];

/** Reads scopes as people type them, without repetition, in the order of the table; none given = the defaults. */
export function parseScopes(names: readonly string[]): readonly TokenScope[] {
  const asked = new Set(names.map((name) => name.trim().toLowerCase()));
  for (const name of asked)
    if (!TOKEN_SCOPES.some((scope) => scope === name))
      throw new TollbookError('invalid', `Unknown scope "${name}"; choose from ${TOKEN_SCOPES.join(', ')}.`, 'scopes');
  return asked.size === 0 ? DEFAULT_SCOPES : TOKEN_SCOPES.filter((scope) => asked.has(scope));
}

export function scopeAllows(granted: readonly TokenScope[], needed: TokenScope): boolean {
  return granted.includes('admin') || granted.includes(needed);
}

/** Roles in a workspace, lowest first. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type MemberRole = (typeof ROLES)[number];

/**
 * Rights that endpoints require of a signed-in person: `read` the workspace; `work` in it (own keys and tokens, uploads,
 * alerts); `manage` it; `operate` the whole installation; `folder` = own the data folder, which no browser session can
 * have.
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

/** Returns the permissions of tokens that a person creates: never more than the role has. */
export function tokenScopes(role: MemberRole): readonly TokenScope[] {
  if (roleHas(role, 'manage', false)) return TOKEN_SCOPES;
  return roleHas(role, 'work', false) ? ['usage:read', 'alerts:read', 'sync:write', 'otlp:write'] : [];
}

/** Tests whether a role may assign another: admins below owner, owners every role. */
export function mayAppoint(by: MemberRole, role: MemberRole): boolean {
  return by === 'owner' || (by === 'admin' && role !== 'owner');
}
