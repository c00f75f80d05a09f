import type { Role } from '../../shared/session/account.ts';

const ROLES: readonly Role[] = ['viewer', 'member', 'admin', 'owner'];

/** Roles that somebody may give: owners are made by owners. */
export function rolesToGive(own: Role): readonly Role[] {
  return own === 'owner' ? ROLES : ROLES.filter((role) => role !== 'owner');
}

/** Whether somebody may change a member at all. */
export function mayAppoint(own: Role, member: Role): boolean {
  return own === 'owner' || (own === 'admin' && member !== 'owner');
}
