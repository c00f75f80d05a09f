import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { formatSecret, parseSecret, SECRET_RANDOM_BYTES } from './secret.ts';

const secret = formatSecret(randomBytes(SECRET_RANDOM_BYTES));

test('a secret has its prefix, 6 public, 32 random and 6 check characters, and parses', () => {
  expect(secret.text).toMatch(/^svc_sk_[0-9A-Za-z]{44}$/);
  expect(secret.text.slice(7, 13)).toBe(secret.publicId);
  expect(parseSecret(secret.text)).toEqual({ publicId: secret.publicId });
});

test('the check characters are a CRC-32', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let value = 0;
  for (const char of secret.text.slice(-6)) value = value * 62 + alphabet.indexOf(char);
  expect(value).toBe(crc32(secret.text.slice(7, -6)));
});

test('any single wrong character is detected', () => {
  for (let i = 0; i < secret.text.length; i += 1) {
    const wrong = secret.text[i] === 'x' ? 'y' : 'x';
    expect(parseSecret(secret.text.slice(0, i) + wrong + secret.text.slice(i + 1))).toBeNull();
  }
});

test.each([
  '',
  'svc_sk_',
  secret.text.slice(0, -1),
  `${secret.text}a`,
  `${secret.text}\n`,
  ` ${secret.text}`,
  secret.text.replace('svc', 'SVC'),
  'sk-ant-api03-x',
  `svc_sk_${'é'.repeat(44)}`,
])('%j is not a secret of Tollbook', (text) => expect(parseSecret(text)).toBeNull());

test('bytes that would favor some characters are skipped, and too few bytes are refused', () => {
  const skewed = new Uint8Array(SECRET_RANDOM_BYTES).fill(255);
  expect(() => formatSecret(skewed)).toThrow('random bytes');
  skewed.fill(61, 0, 38);
  expect(formatSecret(skewed).publicId).toBe('zzzzzz');
});
