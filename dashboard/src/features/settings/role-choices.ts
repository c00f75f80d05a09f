import type { MemberRole } from '../../shared/session/account.ts';

const ROLES: readonly MemberRole[] = ['viewer', 'member', 'admin', 'owner'];

/** Roles that somebody may give: owners are made by owners. */
export function rolesToGive(own: MemberRole): readonly MemberRole[] {
  return own === 'owner' ? ROLES : ROLES.filter((role) => role !== 'owner');
}

/** Whether somebody may change a member at all. */
export function mayAppoint(own: MemberRole, member: MemberRole): boolean {
  return own === 'owner' || (own === 'admin' && member !== 'owner');
}
