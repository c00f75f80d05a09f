import { afterEach, beforeEach, expect, test } from 'vitest';
import { addPerson, cookieOf } from '../../test/people.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { AccountShape, SessionShape } from '../contract/accounts.ts';

let testLedger: TestLedger;
beforeEach(async () => {
  testLedger = await openTestLedger();
});
afterEach(() => testLedger.close());

const FROM_OURS = { 'sec-fetch-site': 'same-origin' };
const PERSON = { name: 'Ada', email: 'Ada@Example.com', password: 'correct horse battery' };

async function claimed(): Promise<string> {
  const code = await testLedger.ledger.records.users.offerClaim('system');
  const answer = await testLedger.ask('/api/account/claim', { token: null, method: 'POST', body: { code, ...PERSON } });
  expect(answer.status).toBe(200);
  return cookieOf(answer);
}

test('the link’s code creates the owner, signs in, and works once', async () => {
  const code = await testLedger.ledger.records.users.offerClaim('system');
  const body = { code, ...PERSON };
  const wrong = await testLedger.ask('/api/account/claim', {
    token: null,
    method: 'POST',
    body: { ...body, code: 'x' },
  });
  expect(wrong.status).toBe(404);
  const answer = await testLedger.ask('/api/account/claim', { token: null, method: 'POST', body });
  expect(await answer.json()).toMatchObject({ state: 'signed_in', workspaces: [{ id: 'ws_default', role: 'owner' }] });
  const again = { ...body, email: 'other@example.com' };
  expect((await testLedger.ask('/api/account/claim', { token: null, method: 'POST', body: again })).status).toBe(404);
  await expect(testLedger.ledger.records.users.offerClaim('system')).rejects.toThrow('has an owner');
});

test('a newer link invalidates the earlier one', async () => {
  const code = await testLedger.ledger.records.users.offerClaim('system');
  await testLedger.ledger.records.users.offerClaim('system');
  const body = { code, ...PERSON };
  expect((await testLedger.ask('/api/account/claim', { token: null, method: 'POST', body })).status).toBe(404);
});

test('a signed-out caller learns only whether there is an owner', async () => {
  const nobody = { version: expect.any(String) as string, demo: false };
  expect(await testLedger.json('/api/account', { token: null })).toEqual({ ...nobody, state: 'unclaimed' });
  await claimed();
  expect(await testLedger.json('/api/account', { token: null })).toEqual({ ...nobody, state: 'signed_out' });
});

test('a user session has the same API as a token, and its changes are audited under the user’s name', async () => {
  const cookie = await claimed();
  const { user } = await testLedger.json<AccountShape>('/api/account', { token: null, headers: { cookie } });
  expect((await testLedger.ask('/api/mcp/usage/summary', { token: null, headers: { cookie } })).status).toBe(200);
  const headers = { ...FROM_OURS, cookie };
  const body = { name: 'ops', url: 'https://hooks.test/x', type: 'SLACK', events: ['COST_SPIKE'] };
  expect((await testLedger.ask('/api/mcp/webhooks', { token: null, method: 'POST', headers, body })).status).toBe(201);
  const { rows } = await testLedger.json<{ rows: { action: string; actor: string }[] }>('/api/manage/audit');
  expect(rows[0]).toMatchObject({ action: 'webhook.create', actor: user?.id });
});

test('signing out ends the session, and signing out everywhere ends all of them', async () => {
  const first = await claimed();
  const { email, password } = PERSON;
  const signIn = { token: null, method: 'POST', body: { email, password } };
  const second = cookieOf(await testLedger.ask('/api/auth/sign-in/email', signIn));
  const stateOf = async (cookie: string): Promise<string> =>
    (await testLedger.json<AccountShape>('/api/account', { token: null, headers: { cookie } })).state;
  const post = { token: null, method: 'POST', body: {} };
  await testLedger.ask('/api/auth/sign-out', { ...post, headers: { ...FROM_OURS, cookie: first } });
  expect([await stateOf(first), await stateOf(second)]).toEqual(['signed_out', 'signed_in']);
  const third = cookieOf(await testLedger.ask('/api/auth/sign-in/email', signIn));
  await testLedger.ask('/api/auth/revoke-sessions', { ...post, headers: { ...FROM_OURS, cookie: third } });
  expect([await stateOf(second), await stateOf(third)]).toEqual(['signed_out', 'signed_out']);
});

test('a session is marked in the list of its user and can end the others, but not those of other users', async () => {
  const first = await claimed();
  const { email, password } = PERSON;
  const signIn = { token: null, method: 'POST', body: { email, password } };
  const second = cookieOf(await testLedger.ask('/api/auth/sign-in/email', signIn));
  const eve = await addPerson(testLedger, 'Eve', 'viewer');
  const sessionsOf = (cookie: string): Promise<SessionShape[]> =>
    testLedger.json('/api/auth/list-sessions', { token: null, headers: { cookie } });
  const end = async (cookie: string, id: string | undefined): Promise<number> => {
    const asked = { token: null, method: 'POST', headers: { ...FROM_OURS, cookie }, body: { id } };
    return (await testLedger.ask('/api/auth/revoke-session', asked)).status;
  };
  const own = (await sessionsOf(second)).find(({ current }) => current);
  const [other, ...more] = (await sessionsOf(second)).filter(({ current }) => !current);
  expect(more).toEqual([]);
  expect((await sessionsOf(first)).find(({ current }) => current)?.id).toBe(other?.id);
  expect(await end(eve.cookie, other?.id)).toBe(404);
  expect([await end(second, other?.id), await end(second, other?.id)]).toEqual([200, 404]);
  expect(await end(first, own?.id)).toBe(401);
  expect(await end(second, own?.id)).toBe(200);
  expect(await end(second, own?.id)).toBe(401);
  const { rows } = await testLedger.json<{ rows: { action: string }[] }>('/api/manage/audit');
  expect(rows.slice(0, 2).map(({ action }) => action)).toEqual(['user.sign_out', 'user.end_session']);
});

test('a changed password replaces the old one and signs the other sessions out', async () => {
  const first = await claimed();
  const [email, newPassword] = [PERSON.email, 'another long password'];
  const change = (currentPassword: string, cookie: string, next = newPassword): Promise<Response> =>
    testLedger.ask('/api/auth/change-password', {
      token: null,
      method: 'POST',
      headers: { ...FROM_OURS, cookie },
      body: { currentPassword, newPassword: next },
    });
  expect((await change('a wrong password', first)).status).toBe(403);
  const same = await change(PERSON.password, first, PERSON.password);
  expect([same.status, await same.text()]).toEqual([400, expect.stringContaining('"param":"newPassword"')]);
  const changed = await change(PERSON.password, first);
  expect(changed.status).toBe(200);
  const signIn = (password: string): Promise<Response> =>
    testLedger.ask('/api/auth/sign-in/email', { token: null, method: 'POST', body: { email, password } });
  expect([(await signIn(PERSON.password)).status, (await signIn(newPassword)).status]).toEqual([401, 200]);
  expect((await testLedger.ask('/api/mcp/workspace', { token: null, headers: { cookie: first } })).status).toBe(401);
  expect(
    (await testLedger.ask('/api/mcp/workspace', { token: null, headers: { cookie: cookieOf(changed) } })).status,
  ).toBe(200);
});

test('people can change their own name to a valid one, and it is in the audit log', async () => {
  const cookie = await claimed();
  const rename = (name: string, headers: Record<string, string> = { ...FROM_OURS, cookie }): Promise<Response> =>
    testLedger.ask('/api/account', { token: null, method: 'PATCH', headers, body: { name } });
  for (const name of ['', '  ', 'x'.repeat(101), 'a\nb', 'a\u202eb'])
    expect([name, (await rename(name)).status]).toEqual([name, 400]);
  expect((await rename('Eve', FROM_OURS)).status).toBe(401);
  expect((await rename('Eve', { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  const renamed = (await (await rename(' Ada King ')).json()) as AccountShape;
  expect(renamed.user).toMatchObject({ name: 'Ada King', email: PERSON.email.toLowerCase() });
  expect((await rename('Ada King')).status).toBe(200);
  const { rows } = await testLedger.json<{ rows: Record<string, unknown>[] }>('/api/manage/audit?limit=500');
  const [only, ...others] = rows.filter(({ action }) => action === 'user.rename');
  expect(others).toEqual([]);
  expect(only).toMatchObject({
    actor: renamed.user?.id,
    subject: renamed.user?.id,
    before: { name: PERSON.name },
    after: { name: 'Ada King' },
  });
});

test('a person can change their name twenty times in an hour', async () => {
  const cookie = await claimed();
  const found: number[] = [];
  for (let time = 0; time < 21; time += 1) {
    const asked = { token: null, method: 'PATCH', headers: { ...FROM_OURS, cookie }, body: { name: `Ada ${time}` } };
    found.push((await testLedger.ask('/api/account', asked)).status);
  }
  expect(found).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
});

test('no response and no log line contains a password or a session secret', async () => {
  const cookie = await claimed();
  const token = decodeURIComponent(/session_token=([^;]+)/.exec(cookie)?.[1] ?? '').split('.')[0] ?? '';
  expect(token.length).toBeGreaterThan(20);
  const answers = await Promise.all(
    ['/api/account', '/api/auth/list-sessions'].map((path) =>
      testLedger.ask(path, { token: null, headers: { cookie } }),
    ),
  );
  for (const answer of answers) {
    const text = await answer.text();
    expect(text).not.toContain(token);
    expect(text).not.toContain('password');
  }
  expect(testLedger.logged.join('')).not.toContain(PERSON.password);
});
