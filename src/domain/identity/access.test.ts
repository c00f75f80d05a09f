import { expect, test } from 'vitest';
import { scopeAllows, parseScopes } from './access.ts';

test('no scope asked for means the four below admin', () =>
  expect(parseScopes([])).toEqual(['usage:read', 'alerts:read', 'webhooks:write', 'sync:write']));

test('scopes are read in any case and without repetition', () =>
  expect(parseScopes(['ADMIN', 'usage:read', ' admin '])).toEqual(['usage:read', 'admin']));

test('an unknown scope is refused with the list', () =>
  expect(() => parseScopes(['usage:write'])).toThrow('choose from usage:read, alerts:read'));

test('admin allows everything, another scope only itself', () => {
  expect(scopeAllows(['admin'], 'sync:write')).toBe(true);
  expect(scopeAllows(['usage:read'], 'usage:read')).toBe(true);
  expect(scopeAllows(['usage:read'], 'admin')).toBe(false);
});
