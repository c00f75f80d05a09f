import { expect, test } from 'vitest';
import { readLinkCode, safePath } from './link-code.ts';

test('a link without a code is incomplete', () => {
  expect([readLinkCode('#abc'), readLinkCode('#'), readLinkCode('')]).toEqual(['abc', null, null]);
});

test('signing in never redirects to another site', () => {
  expect(safePath('/calls?model=x')).toBe('/calls?model=x');
  for (const elsewhere of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n\\evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    undefined,
  ])
    expect(safePath(elsewhere)).toBe('/');
});
