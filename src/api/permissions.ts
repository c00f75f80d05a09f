import { TollbookError } from '../domain/errors.ts';
import { type MemberRole, roleHas, scopeAllows, type TokenScope, tokenScopes } from '../domain/identity/access.ts';
import type { Actor } from '../storage/records/audit.ts';
import type { Caller } from './http/endpoint.ts';
import type { Appointer } from '../storage/records/members.ts';

/** Returns true if the caller may change everything in the workspace, not only their own records. */
export function managesAll({ role }: Caller): boolean {
  return role === null || roleHas(role, 'manage', false);
}

/** Throws `missing_scope` if a member changes a record that another person created. */
export function requireOwn(caller: Caller, ...records: readonly { readonly createdBy: Actor | null }[]): void {
  if (managesAll(caller) || records.every(({ createdBy }) => createdBy === caller.actor)) return;
  throw new TollbookError('missing_scope', 'Someone else created this. Ask an admin to change it.');
}

/** Returns the scopes of a token that a person creates: at most the person's own. Throws `missing_scope`. */
export function grantedScopes(
  { role }: Caller,
  asked: readonly TokenScope[],
  isDefault: boolean,
): readonly TokenScope[] {
  if (role === null) return asked;
  const own = tokenScopes(role);
  if (isDefault) return asked.filter((scope) => own.includes(scope));
  const beyond = asked.find((scope) => !scopeAllows(own, scope));
  if (beyond === undefined) return asked;
  throw new TollbookError(
    'missing_scope',
    `The role ${role} does not allow tokens with the scope "${beyond}". Ask an admin.`,
    'scopes',
  );
}

/** Returns the caller's role for appointing members. A managing access token acts as an admin. */
export function toAppointer({ actor, role, isOwner }: Caller): Appointer {
  const tokenRole: MemberRole = 'admin';
  return { actor, role: isOwner ? null : (role ?? tokenRole) };
}
