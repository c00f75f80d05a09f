import { expect, test } from 'vitest';
import { keyState } from './key-state.ts';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const at = (offsetMs: number): string => new Date(NOW + offsetMs).toISOString();

test('a key expires at its instant, and one that was revoked stays revoked', () => {
  expect(keyState({ revokedAt: null, expiresAt: null }, NOW)).toBe('works');
  expect(keyState({ revokedAt: null, expiresAt: at(1) }, NOW)).toBe('works');
  expect(keyState({ revokedAt: null, expiresAt: at(0) }, NOW)).toBe('expired');
  expect(keyState({ revokedAt: at(-1), expiresAt: at(0) }, NOW)).toBe('revoked');
});
