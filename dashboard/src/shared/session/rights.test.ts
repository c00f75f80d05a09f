import { expect, test } from 'vitest';
import { mayAppoint, rolesToGive } from './rights.ts';

test('only owners appoint and change owners', () => {
  expect(rolesToGive('owner')).toContain('owner');
  expect(rolesToGive('admin')).toEqual(['viewer', 'member', 'admin']);
  expect(mayAppoint('admin', 'owner')).toBe(false);
  expect(mayAppoint('admin', 'admin')).toBe(true);
  expect(mayAppoint('member', 'viewer')).toBe(false);
});
