import { expect, test } from 'vitest';
import { scopeAllows, parseScopes } from './access.ts';

test('without requested scopes, the four below admin are granted', () =>
  expect(parseScopes([])).toEqual(['usage:read', 'alerts:read', 'webhooks:write', 'sync:write']));

test('scopes are read in any letter case, and duplicates are removed', () =>
  expect(parseScopes(['ADMIN', 'usage:read', ' admin '])).toEqual(['usage:read', 'admin']));

test('an unknown scope is refused with the list', () =>
  expect(() => parseScopes(['usage:write'])).toThrow('choose from usage:read, alerts:read'));

test('admin allows everything, another scope only itself', () => {
  expect(scopeAllows(['admin'], 'sync:write')).toBe(true);
  expect(scopeAllows(['usage:read'], 'usage:read')).toBe(true);
  expect(scopeAllows(['usage:read'], 'admin')).toBe(false);
});
