import { TollbookError } from '../domain/errors.ts';
import { type MemberRole, roleHas, scopeAllows, type TokenScope, tokenScopes } from '../domain/identity/access.ts';
import type { Actor } from '../storage/records/audit.ts';
import type { Caller } from './http/endpoint.ts';
import type { Appointer } from '../storage/records/members.ts';

/** Whether everything in the workspace is theirs to change, and not only what they made. */
export function managesAll({ role }: Caller): boolean {
  return role === null || roleHas(role, 'manage', false);
}

/** Throws `missing_scope` where a member reaches for what others made. */
export function requireOwn(caller: Caller, ...records: readonly { readonly createdBy: Actor | null }[]): void {
  if (managesAll(caller) || records.every(({ createdBy }) => createdBy === caller.actor)) return;
  throw new TollbookError('missing_scope', 'This was made by somebody else, so only an admin changes it.');
}

/** What a token gets that a person makes: no more than the person may. Throws `missing_scope`. */
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
    `You are ${role} here, so your tokens can't have "${beyond}". Ask an admin.`,
    'scopes',
  );
}

/** An access token that manages a workspace does so as an admin. */
export function toAppointer({ actor, role, isOwner }: Caller): Appointer {
  const tokenRole: MemberRole = 'admin';
  return { actor, role: isOwner ? null : (role ?? tokenRole) };
}
