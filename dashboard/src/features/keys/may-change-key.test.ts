import { expect, test } from 'vitest';
import type { MemberRole } from '../../shared/session/account.ts';
import { mayChangeKey } from './may-change-key.ts';

const session = (role: MemberRole): Parameters<typeof mayChangeKey>[0] => ({
  account: { version: '1', demo: false, state: 'signed_in', user: { id: 'user_1', name: 'Ann', email: 'a@b.c' } },
  workspace: { id: 'ws_1', name: 'default', role, timeZone: 'UTC' },
});
const own = { revokedAt: null, madeBy: 'user_1' };
const others = { revokedAt: null, madeBy: 'user_2' };

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
