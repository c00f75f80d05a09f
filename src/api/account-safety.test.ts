import { afterEach, beforeEach, expect, test } from 'vitest';
import { SignInAttempts } from '../accounts/sign-in-attempts.ts';
import { addPerson, claimLedger, cookieOf, PASSWORD, type Person } from '../../test/people.ts';
import { type Asked, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';

let testLedger: TestLedger;
let owner: Person;

async function open(env: Readonly<Record<string, string>> = {}): Promise<void> {
  testLedger = await openTestLedger(env);
  owner = await claimLedger(testLedger);
}
beforeEach(() => open());
afterEach(() => testLedger.close());

function withCookie(headers: Readonly<Record<string, string>>, more: Partial<Asked> = {}): Promise<Response> {
  const body = { name: 'ops', url: 'https://hooks.test/x', type: 'SLACK', events: ['COST_SPIKE'] };
  const asked = { token: null, method: 'POST', body, ...more };
  return testLedger.ask('/api/mcp/webhooks', { ...asked, headers: { cookie: owner.cookie, ...headers } });
}

function signIn(email: string, password: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return testLedger.ask('/api/auth/sign-in/email', { token: null, method: 'POST', body: { email, password }, headers });
}

const from = (address: string): Record<string, string> => ({ 'x-svc-client-address': address });

test('a cookie changes something only for pages of the dashboard', async () => {
  const refused = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    // A bookmark or a typed address changes nothing.
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:4700' },
    {},
  ];
  for (const headers of refused) {
    const answer = await withCookie(headers);
    expect([headers, answer.status, ((await answer.json()) as { type: string }).type]).toEqual([
      headers,
      403,
      'cross_site',
    ]);
  }
  const taken = [
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'http://localhost:4700' },
    { origin: 'http://10.0.0.5:4700', host: '10.0.0.5:4700' },
  ];
  for (const headers of taken) expect([headers, (await withCookie(headers)).status]).toEqual([headers, 201]);
});

test('a form of another site cannot send a readable request', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'text/plain; application/json',
  ])
    expect((await withCookie({ 'sec-fetch-site': 'same-origin', 'content-type': type })).status).toBe(415);
});

test('no page of another site can sign a person in, out or up', async () => {
  for (const path of ['sign-in/email', 'sign-out', 'revoke-session', 'revoke-sessions', 'change-password'])
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}]) {
      const asked = { token: null, method: 'POST', body: {}, headers: { cookie: owner.cookie, ...headers } };
      expect([path, (await testLedger.ask(`/api/auth/${path}`, asked)).status]).toEqual([path, 403]);
    }
  const claim = { token: null, method: 'POST', body: {}, headers: { 'sec-fetch-site': 'cross-site' } };
  expect((await testLedger.ask('/api/account/claim', claim)).status).toBe(403);
});

test('no page of another site can read or measure data of a cookie; following a link works for all', async () => {
  const read = async (headers: Record<string, string>): Promise<number> =>
    (await testLedger.ask('/api/mcp/usage/summary', { token: null, headers: { cookie: owner.cookie, ...headers } }))
      .status;
  expect(await read({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
  expect(await read({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' })).toBe(403);
  expect(await read({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(200);
  expect(await read({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' })).toBe(200);
});

test('no response allows another origin', async () => {
  const headers = { cookie: owner.cookie, origin: 'https://evil.example' };
  const answer = await testLedger.ask('/api/account', { token: null, headers });
  expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
});

test('an access token works from any address, and a cookie sent with it is ignored', async () => {
  const token = await testLedger.createToken(['usage:read']);
  const headers = { cookie: owner.cookie, 'sec-fetch-site': 'cross-site' };
  expect((await testLedger.ask('/api/mcp/usage/summary', { token, headers })).status).toBe(200);
  // What only the owner may do stays refused to the token.
  expect((await testLedger.ask('/api/manage/audit', { token, headers })).status).toBe(403);
  expect((await testLedger.ask('/api/manage/audit', { token: 'svc_sk_unknown', headers })).status).toBe(401);
  // The password for a reverse proxy is not a token.
  const basic = { cookie: owner.cookie, authorization: 'Basic dXNlcjpwYXNz' };
  expect((await testLedger.ask('/api/manage/audit', { token: null, headers: basic })).status).toBe(200);
});

test('GET changes nothing, and does not mark an alert as read', async () => {
  const before = await testLedger.ledger.records.audit.list({ workspaceId: null, limit: 1, before: null });
  for (const path of ['/api/account', '/api/mcp/alerts', '/api/manage/members', '/api/auth/list-sessions'])
    await testLedger.ask(path, { token: null, headers: { cookie: owner.cookie } });
  expect(await testLedger.ledger.records.audit.list({ workspaceId: null, limit: 1, before: null })).toEqual(before);
});

test('the cookie is limited to this host and path, hidden from scripts, and secure under https', async () => {
  const line = (answer: Response): string => answer.headers.getSetCookie()[0] ?? '';
  const plain = line(await signIn(owner.email, PASSWORD));
  expect(plain).toMatch(/^tollbook\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
  const forNow = await testLedger.ask('/api/auth/sign-in/email', {
    token: null,
    method: 'POST',
    body: { email: owner.email, password: PASSWORD, rememberMe: false },
  });
  expect(line(forNow)).not.toContain('Max-Age');
  await testLedger.close();
  await open({ SVC_BASE_URL: 'https://tollbook.example' });
  const secure = line(await signIn(owner.email, PASSWORD));
  expect(secure).toMatch(
    /^__Secure-tollbook\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect((await testLedger.ask('/api/mcp/workspace', { token: null, headers: { cookie: owner.cookie } })).status).toBe(
    200,
  );
});

test('a cookie that was made up, changed or stolen from the database signs nobody in', async () => {
  const [name = '', value = ''] = owner.cookie.split('=');
  const [token = '', signature = ''] = decodeURIComponent(value).split('.');
  const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  for (const forged of [token, `${token}.`, `${token}.${flipped}`, `x${token}.${signature}`, '', 'undefined', '%']) {
    const headers = { cookie: `${name}=${forged}` };
    expect([forged, (await testLedger.ask('/api/mcp/workspace', { token: null, headers })).status]).toEqual([
      forged,
      401,
    ]);
  }
});

test('an unknown email and a wrong password get the same error after the same work', async () => {
  const answers = [
    await signIn(owner.email, 'not the right password', from('192.0.2.1')),
    await signIn('nobody@example.com', 'not the right password', from('192.0.2.2')),
    await signIn('no address', 'not the right password', from('192.0.2.3')),
    await signIn(owner.email, 'x'.repeat(500), from('192.0.2.4')),
  ];
  const found = await Promise.all(
    answers.map(async (answer) => {
      const { requestId: _id, ...rest } = (await answer.json()) as { requestId: string };
      const headers = [...answer.headers].filter(([name]) => name !== 'x-request-id');
      return { status: answer.status, rest, headers };
    }),
  );
  for (const one of found) expect(one).toEqual(found[0]);
  expect(found[0]).toMatchObject({ status: 401, rest: { type: 'invalid_credentials' } });
});

test('a network has ten password attempts per account, and cannot find out if the account exists', async () => {
  for (const [at, email] of [owner.email, 'nobody@example.com'].entries()) {
    const tried = await Promise.all(
      Array.from({ length: 12 }, () => signIn(email, 'a wrong one', from(`192.0.2.${at}`))),
    );
    expect(tried.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 10 }, () => 401),
      429,
      429,
    ]);
    expect(tried.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('900');
  }
  expect((await signIn(owner.email, PASSWORD, from('192.0.2.0'))).status).toBe(429);
  testLedger.time.now += 15 * 60_000;
  expect((await signIn(owner.email, PASSWORD, from('192.0.2.0'))).status).toBe(200);
});

test('guesses from many networks are stopped, and do not lock people out of known networks', async () => {
  const [home, away] = [from('198.51.100.1'), from('198.51.100.2')];
  expect((await signIn(owner.email, PASSWORD, home)).status).toBe(200);
  // Wrong passwords, without the work of comparing them.
  const attempts = new SignInAttempts(testLedger.ledger.records.attempts);
  for (let at = 0; at < 90; at += 1) await attempts.takeForAccount(`203.0.113.${at}`, owner.email);
  const counts = { 401: 0, 429: 0 };
  for (let at = 0; at < 12; at += 1) {
    const { status } = await signIn(owner.email, 'a wrong one', from(`192.0.2.${at}`));
    counts[status as 401 | 429] += 1;
  }
  // Two of the hundred were right: the one that created the account, and the one from home.
  expect(counts).toEqual({ 401: 8, 429: 4 });
  expect((await signIn(owner.email, PASSWORD, away)).status).toBe(429);
  expect((await signIn(owner.email, PASSWORD, home)).status).toBe(200);
  const reset = { method: 'POST', body: { password: 'another long password' } };
  expect((await testLedger.ask(`/api/manage/users/${owner.email}/password`, reset)).status).toBe(200);
  expect((await signIn(owner.email, 'another long password', away)).status).toBe(200);
});

test('the right password resets the count of its network', async () => {
  for (let round = 0; round < 2; round += 1) {
    for (let at = 0; at < 6; at += 1) await signIn(owner.email, 'a wrong password', from('192.0.2.1'));
    expect((await signIn(owner.email, PASSWORD, from('192.0.2.1'))).status).toBe(200);
  }
});

test('an invitation reveals for at most ten addresses if they have an account', async () => {
  const input = {
    workspaceId: 'ws_default',
    role: 'viewer',
    email: null,
    expiresAt: testLedger.time.now + 3_600_000,
  } as const;
  const { code } = await testLedger.ledger.records.invitations.create(input, { actor: 'owner', role: null });
  const accept = async (): Promise<number> => {
    const body = { code, name: 'Eve', email: owner.email, password: PASSWORD };
    const headers = from('192.0.2.1');
    return (await testLedger.ask('/api/account/accept', { token: null, method: 'POST', body, headers })).status;
  };
  const found: number[] = [];
  for (let times = 0; times < 12; times += 1) found.push(await accept());
  expect(found).toEqual([...Array.from({ length: 10 }, () => 409), 429, 429]);
});

test('every sign-in, failed sign-in and sign-out is in the audit log of the person’s workspaces, with the address', async () => {
  await signIn(owner.email, 'a wrong password', from('192.0.2.7'));
  await signIn('nobody@example.com', 'a wrong password', from('192.0.2.7'));
  const cookie = cookieOf(await signIn(owner.email, PASSWORD, from('192.0.2.8')));
  const headers = { cookie, 'sec-fetch-site': 'same-origin', ...from('192.0.2.8') };
  await testLedger.ask('/api/auth/sign-out', { token: null, method: 'POST', body: {}, headers });
  const seenBy = async (person: Person): Promise<unknown[]> => {
    const asked = { token: null, headers: person.headers };
    const { rows } = await testLedger.json<{ rows: Record<string, unknown>[] }>('/api/manage/audit?limit=500', asked);
    return rows.filter(({ subject }) => subject === owner.id).map(({ action, actor, after }) => [action, actor, after]);
  };
  const admin = await addPerson(testLedger, 'Adam', 'admin');
  expect((await seenBy(admin)).slice(0, 3)).toEqual([
    ['user.sign_out', owner.id, { address: '192.0.2.8' }],
    ['user.sign_in', owner.id, { address: '192.0.2.8' }],
    ['user.sign_in_refused', 'system', { address: '192.0.2.7' }],
  ]);
  const other = await testLedger.ledger.records.workspaces.create({ name: 'another' }, 'owner');
  expect(await seenBy(await addPerson(testLedger, 'Thea', 'owner', other.id))).toEqual([]);
});

test('an address has thirty attempts in five minutes, over all accounts and codes; an IPv6 network is one address', async () => {
  const accept = (address: string): Promise<Response> =>
    testLedger.ask('/api/account/accept', {
      token: null,
      method: 'POST',
      body: { code: 'none' },
      headers: from(address),
    });
  for (let at = 0; at < 30; at += 1) expect((await accept(`2001:db8::${at.toString(16)}`)).status).toBe(404);
  expect((await accept('2001:db8::ffff')).status).toBe(429);
  expect((await signIn(owner.email, PASSWORD, from('2001:db8::1'))).status).toBe(429);
  const invitation = { token: null, headers: { ...from('2001:db8::1'), 'x-svc-code': 'none' } };
  expect((await testLedger.ask('/api/account/invitation', invitation)).status).toBe(429);
  expect((await accept('2001:db8:0:1::1')).status).toBe(404);
  testLedger.time.now += 5 * 60_000;
  expect((await accept('2001:db8::1')).status).toBe(404);
});

test('attempts with an unreadable body are counted', async () => {
  const ask = (body: unknown): Promise<Response> =>
    testLedger.ask('/api/auth/sign-in/email', { token: null, method: 'POST', body, headers: from('192.0.2.9') });
  for (let at = 0; at < 30; at += 1) expect((await ask({ email: 1 })).status).toBe(400);
  expect((await ask({ email: owner.email, password: PASSWORD })).status).toBe(429);
});

test('a public endpoint accepts at most 16 KiB', async () => {
  const answer = await signIn(owner.email, 'x'.repeat(17_000));
  expect([answer.status, await answer.json()]).toMatchObject([
    413,
    { error: 'The body is larger than 16384 bytes. Send a smaller one.' },
  ]);
});

test('a user session ends when the master secret changes', async () => {
  const workspace = (cookie: string): Promise<Response> =>
    testLedger.ask('/api/mcp/workspace', { token: null, headers: { cookie } });
  expect((await workspace(owner.cookie)).status).toBe(200);
  await testLedger.json('/api/manage/secret/rotate', { method: 'POST', body: { secret: null } });
  expect((await workspace(owner.cookie)).status).toBe(401);
  expect((await workspace(cookieOf(await signIn(owner.email, PASSWORD)))).status).toBe(200);
});

test('a password that is too short is refused for every user', async () => {
  const body = { currentPassword: PASSWORD, newPassword: 'short' };
  const change = { token: null, method: 'POST', headers: owner.headers, body };
  expect((await testLedger.ask('/api/auth/change-password', change)).status).toBe(400);
  await expect(addPerson(testLedger, 'x'.repeat(101), 'viewer')).rejects.toThrow('longer than 100');
  expect((await signIn(owner.email, PASSWORD)).status).toBe(200);
});

test('the database contains no usable password or code', async () => {
  const { code, invitation } = await testLedger.ledger.records.invitations.create(
    { workspaceId: 'ws_default', role: 'viewer', email: null, expiresAt: testLedger.time.now + 1_000 },
    { actor: 'owner', role: null },
  );
  const rows = await testLedger.ledger.records.audit.list({ workspaceId: null, limit: 500, before: null });
  const text = JSON.stringify([rows, invitation, await testLedger.ledger.records.users.list(), testLedger.logged]);
  expect(text).not.toContain(code);
  expect(text).not.toContain(PASSWORD);
});
