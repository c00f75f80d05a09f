import { expect, test } from 'vitest';
import { describeState } from './secret-state.ts';

test.each([
  [{ revokedAt: null, expiresAt: null }, 'live'],
  [{ revokedAt: '2027-01-31T10:00:00.000Z', expiresAt: '2027-02-01T00:00:00.000Z' }, 'revoked 2027-01-31'],
  // What was set as 2027-01-31 ends with that day.
  [{ revokedAt: null, expiresAt: '2027-02-01T00:00:00.000Z' }, 'until 2027-01-31'],
  [{ revokedAt: null, expiresAt: '2027-01-31T12:00:00.000Z' }, 'until 2027-01-31'],
])('a key works until the end of its last day: %o', (secret, state) => {
  expect(describeState(secret)).toBe(state);
});
