import { TollbookError } from '../errors.ts';

/** What an access token may do. `admin` includes the others. */
export const SCOPES = ['usage:read', 'alerts:read', 'webhooks:write', 'sync:write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a token gets when nothing is asked for: everything below `admin`. */
const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'admin');

/** Reads scopes as people type them, without repetition, in the order of the table; none given = the defaults. */
export function parseScopes(names: readonly string[]): readonly Scope[] {
  const asked = new Set(names.map((name) => name.trim().toLowerCase()));
  for (const name of asked)
    if (!SCOPES.some((scope) => scope === name))
      throw new TollbookError('invalid', `There is no scope "${name}"; choose from ${SCOPES.join(', ')}.`, 'scopes');
  return asked.size === 0 ? DEFAULT_SCOPES : SCOPES.filter((scope) => asked.has(scope));
}

export function allows(granted: readonly Scope[], needed: Scope): boolean {
  return granted.includes('admin') || granted.includes(needed);
}
