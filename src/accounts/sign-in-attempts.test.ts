import { expect, test } from 'vitest';
import { SignInAttempts } from './sign-in-attempts.ts';

const EMAIL = 'ada@example.com';
/** Another network for each. */
const address = (at: number): string => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
const guess = (attempts: SignInAttempts, from: string): (() => void) => {
  return () => attempts.takeForAccount(from, EMAIL);
};

test('a changed password resets the counts of every network, for this account only', () => {
  const attempts = new SignInAttempts(() => 0);
  for (const account of [EMAIL, 'eve@example.com'])
    for (let times = 0; times < 10; times += 1) attempts.takeForAccount(address(1), account);
  expect(guess(attempts, address(1))).toThrow(expect.objectContaining({ type: 'rate_limited' }));
  attempts.forget(EMAIL);
  expect(guess(attempts, address(1))).not.toThrow();
  expect(() => attempts.takeForAccount(address(1), 'eve@example.com')).toThrow(
    expect.objectContaining({ type: 'rate_limited' }),
  );
});

test('an account has a bounded number of known networks, and the oldest is dropped', () => {
  const attempts = new SignInAttempts(() => 0);
  for (let at = 1; at <= 20_000; at += 1) attempts.succeeded(address(at), EMAIL);
  for (let at = 0; at < 100; at += 1) attempts.takeForAccount(`192.0.2.${at}`, EMAIL);
  for (const known of [1, 20_000]) expect(guess(attempts, address(known))).not.toThrow();
  attempts.succeeded(address(20_001), EMAIL);
  expect(guess(attempts, address(1))).toThrow(expect.objectContaining({ type: 'rate_limited' }));
  for (const known of [2, 20_001]) expect(guess(attempts, address(known))).not.toThrow();
});
