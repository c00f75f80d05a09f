import { expect, test } from 'vitest';
import { createCipher } from '../../lib/crypto/cipher.ts';
import { SecretVault } from './vault.ts';

const cipherOf = (name: string): ReturnType<typeof createCipher> => createCipher(name.padEnd(40, '-'), 'salt');

test('what was fetched just before a rotation still opens just after it', () => {
  const vault = new SecretVault(cipherOf('old'));
  const sealed = vault.seal('text', 'pk_1');
  vault.replace(cipherOf('new'), '');
  expect(vault.open(sealed, 'pk_1')).toBe('text');
  expect(cipherOf('new').open(vault.seal('text', 'pk_1'), 'pk_1')).toBe('text');
});

test('a replacement undone leaves the vault as it was', () => {
  const vault = new SecretVault(cipherOf('first'));
  const early = vault.seal('text', 'pk_1');
  vault.replace(cipherOf('second'), '');
  const undo = vault.replace(cipherOf('third'), '');
  undo();
  expect(cipherOf('second').open(vault.seal('text', 'pk_1'), 'pk_1')).toBe('text');
  expect(vault.open(early, 'pk_1')).toBe('text');
});
