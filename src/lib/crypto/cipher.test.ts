import { expect, test } from 'vitest';
import { createCipher, hashSecret } from './cipher.ts';

const LONG = 'a master secret of more than thirty-two characters';

test('encrypted text can be decrypted under its own record and never shows the text', () => {
  const cipher = createCipher(LONG, 'salt');
  const sealed = cipher.seal('sk-ant-api03-ünï', 'pk_1');
  expect(sealed).toMatch(/^v1\.[\w-]+$/);
  expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('sk-ant');
  expect(cipher.open(sealed, 'pk_1')).toBe('sk-ant-api03-ünï');
  expect(createCipher(LONG, 'salt').open(sealed, 'pk_1')).toBe('sk-ant-api03-ünï');
});

test('the same text is never encrypted to the same bytes', () => {
  const cipher = createCipher(LONG, 'salt');
  expect(cipher.seal('x', 'pk_1')).not.toBe(cipher.seal('x', 'pk_1'));
});

test('encrypted text cannot be decrypted under another record, secret or salt', () => {
  const sealed = createCipher(LONG, 'salt').seal('text', 'pk_1');
  expect(() => createCipher(LONG, 'salt').open(sealed, 'pk_2')).toThrow(/authenticate/);
  expect(() => createCipher(`${LONG}!`, 'salt').open(sealed, 'pk_1')).toThrow(/authenticate/);
  expect(() => createCipher(LONG, 'other').open(sealed, 'pk_1')).toThrow(/authenticate/);
});

test('encrypted text with any byte changed, cut off or of another version is refused', () => {
  const cipher = createCipher(LONG, 'salt');
  const sealed = cipher.seal('text', 'pk_1');
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  for (let i = 0; i < bytes.length; i += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(i) ^ 1, i);
    expect(() => cipher.open(`v1.${changed.toString('base64url')}`, 'pk_1')).toThrow(/authenticate/);
  }
  for (const text of [`v2.${sealed.slice(3)}`, sealed.slice(0, 20), '', 'v1.', `${sealed}.x`])
    expect(() => cipher.open(text, 'pk_1')).toThrow('unknown form');
});

test('a short master secret works too', () => {
  const sealed = createCipher('short', 'salt').seal('text', 'pk_1');
  expect(createCipher('short', 'salt').open(sealed, 'pk_1')).toBe('text');
  expect(() => createCipher('Short', 'salt').open(sealed, 'pk_1')).toThrow(/authenticate/);
});

test('hashes are SHA-256 in base64url', () => {
  expect(hashSecret('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
});
