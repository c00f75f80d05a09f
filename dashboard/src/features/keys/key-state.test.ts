import { expect, test } from 'vitest';
import { keyState, mayChangeKey } from './key-state.ts';
import type { MemberRole } from '../../shared/session/account.ts';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const at = (offsetMs: number): string => new Date(NOW + offsetMs).toISOString();

test('a key expires exactly at its expiry, and a revoked key stays revoked', () => {
  expect(keyState({ revokedAt: null, expiresAt: null }, NOW)).toBe('active');
  expect(keyState({ revokedAt: null, expiresAt: at(1) }, NOW)).toBe('active');
  expect(keyState({ revokedAt: null, expiresAt: at(0) }, NOW)).toBe('expired');
  expect(keyState({ revokedAt: at(-1), expiresAt: at(0) }, NOW)).toBe('revoked');
});

const session = (role: MemberRole): Parameters<typeof mayChangeKey>[0] => ({
  account: { version: '1', demo: false, state: 'signed_in', user: { id: 'user_1', name: 'Ann', email: 'a@b.c' } },
  workspace: { id: 'ws_1', name: 'default', role, timeZone: 'UTC' },
});
const own = { revokedAt: null, createdBy: 'user_1' };
const others = { revokedAt: null, createdBy: 'user_2' };

test.each([
  ['viewer', false, false],
  ['member', true, false],
  ['admin', true, true],
  ['owner', true, true],
] as const)('%s: own key %s, key of others %s', (role, mayOwn, mayOthers) => {
  expect(mayChangeKey(session(role), own)).toBe(mayOwn);
  expect(mayChangeKey(session(role), others)).toBe(mayOthers);
  expect(mayChangeKey(session(role), { ...own, revokedAt: '2026-01-01T00:00:00Z' })).toBe(false);
});
