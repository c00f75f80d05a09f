import { expect, test, vi } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { QUICK_HASHING } from '../../test/support/quick-hashing.ts';
import { openTemporaryRecords } from '../../test/support/temporary-records.ts';
import { Accounts, type AccountRequest } from './accounts.ts';
import type { PasswordHashing } from './auth-library.ts';

async function open(demo: boolean, hashing = QUICK_HASHING) {
  const { records, db, time } = await openTemporaryRecords();
  const baseUrl = 'http://localhost:4700';
  const clock = (): number => (time.now += 1);
  return { records, accounts: new Accounts({ db, records, baseUrl, clock, log: silentLog, demo, hashing }) };
}

/** Returns a hashing whose work ends only after `finish`. */
function heldHashing(): { hashing: PasswordHashing; finish: () => void } {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const hashing: PasswordHashing = {
    hash: (password) => finished.then(() => QUICK_HASHING.hash(password)),
    verify: (given) => finished.then(() => QUICK_HASHING.verify(given)),
  };
  return { hashing, finish };
}

function visitor(cookie: string | null = null): AccountRequest {
  return { headers: new Headers(cookie === null ? {} : { cookie }), address: '192.0.2.1', cookies: [] };
}

test('everyone who opens a demo is signed in as its one owner, also at the same time and repeatedly', async () => {
  const { accounts, records } = await open(true);
  const many = Array.from({ length: 3 }, () => visitor());
  const ids = await Promise.all(many.map((one) => accounts.enterDemo(one)));
  expect(new Set(ids).size).toBe(1);
  expect(await records.users.list()).toHaveLength(1);
  expect(many.every(({ cookies }) => cookies.length > 0)).toBe(true);
  for (let time = 0; time < 30; time += 1) await accounts.countAttempt(visitor());
  expect(await accounts.enterDemo(visitor())).toBe(ids[0]);
});

test('a page of another site whose host name resolves to a demo is not signed in', async () => {
  const { accounts, records } = await open(true);
  const rebound = { ...visitor(), headers: new Headers({ host: 'evil.example:4700' }) };
  expect(await accounts.enterDemo(rebound)).toBeNull();
  expect(rebound.cookies).toEqual([]);
  expect(await records.users.list()).toEqual([]);
});

test('too many sign-ins at once get a waiting time, and the service answers all of them', async () => {
  const { hashing, finish } = heldHashing();
  const { accounts } = await open(false, hashing);
  const given = { email: 'nobody@example.com', password: 'a wrong password' };
  let refused = 0;
  const typeOf = ({ type }: { type: string }): string => {
    if (type === 'rate_limited' && (refused += 1) === 4) finish();
    return type;
  };
  const many = Array.from({ length: 35 }, (_, at) => ({ ...visitor(), address: `192.0.${at}.1` }));
  const found = await Promise.all(
    many.map((one, at) => accounts.signIn(one, { ...given, email: `${at}@example.com` }).catch(typeOf)),
  );
  expect(found.filter((type) => type === 'invalid_credentials')).toHaveLength(31);
  expect(found.filter((type) => type === 'rate_limited')).toHaveLength(4);
  await expect(accounts.signIn(visitor(), given)).rejects.toMatchObject({ type: 'invalid_credentials' });
});

test('a changed password leaves the person signed in, however many sign in at once', async () => {
  const { hashing, finish } = heldHashing();
  const { accounts, records } = await open(false, hashing);
  const password = 'correct horse battery';
  const user = await records.users.claim(await records.users.offerClaim('system'), {
    name: 'Ada',
    email: 'ada@example.com',
    passwordHash: await QUICK_HASHING.hash(password),
  });
  const one = visitor();
  const change = { currentPassword: password, newPassword: 'another long password', revokeOtherSessions: true };
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const read = records.users.passwordHash.bind(records.users);
  vi.spyOn(records.users, 'passwordHash').mockImplementationOnce((id) => {
    begin();
    return read(id);
  });
  const changed = accounts.changePassword(one, user.id, change);
  await begun;
  const given = { email: 'nobody@example.com', password: 'a wrong password' };
  const others = Array.from({ length: 35 }, (_, at) => ({ ...visitor(), address: `192.0.${at + 3}.1` }));
  // Once one of them is refused, as many wait as may.
  await Promise.allSettled(
    others.map((each, at) => accounts.signIn(each, { ...given, email: `${at}@example.com` }).finally(finish)),
  );
  await changed;
  expect(one.cookies.length).toBeGreaterThan(0);
  expect(await records.users.sessions(user.id)).toHaveLength(1);
  await expect(accounts.changePassword(visitor(), user.id, change)).rejects.toMatchObject({ type: 'wrong_password' });
});

test('a service that is not a demo signs nobody in by itself', async () => {
  const { accounts, records } = await open(false);
  expect(await accounts.enterDemo(visitor())).toBeNull();
  expect(await records.users.list()).toEqual([]);
});

test('a request without a session cookie has no user, whatever other cookies it has', async () => {
  const { accounts } = await open(false);
  for (const cookie of [null, '', 'other=1', 'my.tollbook.session_token=x', 'session_token=x'])
    expect(await accounts.find(visitor(cookie), true)).toBeNull();
});
