import { expect, test } from 'vitest';
import { ENGINE, openTemporaryRecords } from '../../test/support/temporary-records.ts';
import { type AttemptRecords, attemptRows, attemptsInMemory } from '../storage/records/attempts.ts';
import { SignInAttempts } from './sign-in-attempts.ts';

const EMAIL = 'ada@example.com';
const REMEMBERED_MAX = 50;
/** Another network for each. */
const address = (at: number): string => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
const RATE_LIMITED = { type: 'rate_limited' };

/** Counts of the engine of this run, and a second process that uses them. */
async function openAttempts(): Promise<{
  attempts: SignInAttempts;
  guess: (from: string, account?: string) => Promise<void>;
  time: { now: number };
}> {
  const { db } = await openTemporaryRecords();
  const time = { now: 0 };
  const clock = (): number => time.now;
  const open = (): AttemptRecords =>
    ENGINE === 'postgres' ? attemptRows(db, clock, REMEMBERED_MAX) : attemptsInMemory(clock, REMEMBERED_MAX);
  const first = open();
  const attempts = new SignInAttempts(first);
  const other = new SignInAttempts(ENGINE === 'postgres' ? open() : first);
  return { attempts, guess: (from, account = EMAIL) => other.takeForAccount(from, account), time };
}

test('a changed password resets the counts of every network, for this account only', async () => {
  const { attempts, guess } = await openAttempts();
  for (const account of [EMAIL, 'eve@example.com'])
    for (let times = 0; times < 10; times += 1) await attempts.takeForAccount(address(1), account);
  await expect(guess(address(1))).rejects.toMatchObject(RATE_LIMITED);
  await attempts.forget(EMAIL);
  await guess(address(1));
  await expect(guess(address(1), 'eve@example.com')).rejects.toMatchObject(RATE_LIMITED);
});

test('an account has a bounded number of known networks, and the oldest is dropped', async () => {
  const { attempts, guess, time } = await openAttempts();
  for (let at = 1; at <= REMEMBERED_MAX; at += 1) {
    time.now += 1;
    await attempts.succeeded(address(at), EMAIL);
  }
  for (let at = 0; at < 100; at += 1) await attempts.takeForAccount(`192.0.2.${at}`, EMAIL);
  for (const known of [1, REMEMBERED_MAX]) await guess(address(known));
  time.now += 1;
  await attempts.succeeded(address(REMEMBERED_MAX + 1), EMAIL);
  await expect(guess(address(1))).rejects.toMatchObject(RATE_LIMITED);
  for (const known of [2, REMEMBERED_MAX + 1]) await guess(address(known));
});

test('a window ends, and concurrent attempts are all counted', async () => {
  const { attempts, guess, time } = await openAttempts();
  const tried = await Promise.allSettled(
    Array.from({ length: 40 }, (_, at) => (at % 2 ? guess(address(1)) : attempts.takeForAccount(address(1), EMAIL))),
  );
  expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  time.now += 15 * 60_000 - 1;
  await expect(guess(address(1))).rejects.toMatchObject({ retryAfter: 1 });
  time.now += 1;
  await guess(address(1));
});
