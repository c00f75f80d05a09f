import { expect, test } from 'vitest';
import { createCipher } from '../../lib/crypto/cipher.ts';
import { SecretVault } from './vault.ts';

const cipherOf = (name: string): ReturnType<typeof createCipher> => createCipher(name.padEnd(40, '-'), 'salt');

test('text read before a rotation can be decrypted after it', () => {
  const vault = new SecretVault(cipherOf('old'));
  const sealed = vault.seal('text', 'pk_1');
  vault.replace(cipherOf('new'), '');
  expect(vault.open(sealed, 'pk_1')).toBe('text');
  expect(cipherOf('new').open(vault.seal('text', 'pk_1'), 'pk_1')).toBe('text');
});

test('an undone replacement leaves the vault unchanged', () => {
  const vault = new SecretVault(cipherOf('first'));
  const early = vault.seal('text', 'pk_1');
  vault.replace(cipherOf('second'), '');
  const undo = vault.replace(cipherOf('third'), '');
  undo();
  expect(cipherOf('second').open(vault.seal('text', 'pk_1'), 'pk_1')).toBe('text');
  expect(vault.open(early, 'pk_1')).toBe('text');
});
