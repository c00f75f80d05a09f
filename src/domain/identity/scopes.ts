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
