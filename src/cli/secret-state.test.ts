import { expect, test } from 'vitest';
import { describeState } from './secret-state.ts';

test.each([
  [{ revokedAt: null, expiresAt: null }, 'UTC', 'live'],
  [{ revokedAt: '2027-01-31T10:00:00.000Z', expiresAt: '2027-02-01T00:00:00.000Z' }, 'UTC', 'revoked 31 Jan 2027'],
  // What was set as 31 January ends with that day.
  [{ revokedAt: null, expiresAt: '2027-02-01T00:00:00.000Z' }, 'UTC', 'until 31 Jan 2027'],
  [{ revokedAt: null, expiresAt: '2027-01-31T12:00:00.000Z' }, 'UTC', 'until 31 Jan 2027'],
  [{ revokedAt: null, expiresAt: '2027-01-31T23:00:00.000Z' }, 'Europe/Berlin', 'until 31 Jan 2027'],
  [{ revokedAt: null, expiresAt: '2027-01-31T15:00:00.000Z' }, 'Asia/Tokyo', 'until 31 Jan 2027'],
])('a key works until the end of its last day in the zone of the reader: %o, %s', (secret, timeZone, state) => {
  expect(describeState(secret, timeZone)).toBe(state);
});
