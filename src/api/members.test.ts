import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson, claimLedger, cookieOf, PASSWORD, type Person } from '../../test/people.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type {
  AccountShape,
  CreatedInvitation,
  InvitationShape,
  ListedToken,
  MemberShape,
} from '../contract/accounts.ts';

let testLedger: TestLedger;
let owner: Person;
let admin: Person;
let member: Person;
beforeAll(async () => {
  testLedger = await openTestLedger();
  owner = await claimLedger(testLedger);
  admin = await addPerson(testLedger, 'Anna', 'admin');
  member = await addPerson(testLedger, 'Mira', 'member');
});
afterAll(() => testLedger.close());

type Asking = { readonly person: Person; readonly method?: string; readonly body?: unknown };

function ask(path: string, { person: { headers }, ...asked }: Asking): Promise<Response> {
  return testLedger.ask(path, { token: null, headers, ...asked });
}

async function statusOf(path: string, asking: Asking): Promise<number> {
  return (await ask(path, asking)).status;
}

async function invite(person: Person, body: object): Promise<CreatedInvitation> {
  const answer = await ask('/api/manage/invitations', { person, method: 'POST', body });
  expect(answer.status).toBe(201);
  return (await answer.json()) as CreatedInvitation;
}

const codeOf = ({ link }: CreatedInvitation): string => link.split('#')[1] ?? '';
const someone = (name: string) => ({ name, email: `${name.toLowerCase()}@example.com`, password: PASSWORD });
const accept = (body: object, headers = {}): Promise<Response> =>
  testLedger.ask('/api/account/accept', { token: null, method: 'POST', body, headers });

test('an invitation link shows its workspace, creates one member, and is in no list', async () => {
  const made = await invite(admin, { role: 'viewer' });
  expect(made.link).toContain('/join#');
  const headers = { 'x-svc-code': codeOf(made) };
  expect(await testLedger.json('/api/account/invitation', { token: null, headers })).toMatchObject({
    workspace: 'default',
    role: 'viewer',
    invitedBy: 'Anna',
  });
  const joined = await accept({ code: codeOf(made), ...someone('Vera') });
  expect(await joined.json()).toMatchObject({ state: 'signed_in', workspaces: [{ id: 'ws_default', role: 'viewer' }] });
  expect((await accept({ code: codeOf(made), ...someone('Second') })).status).toBe(404);
  const list = await (await ask('/api/manage/invitations', { person: admin })).text();
  expect(list).not.toContain(codeOf(made));
  expect((JSON.parse(list) as InvitationShape[]).find(({ id }) => id === made.id)).toMatchObject({
    state: 'accepted',
    createdBy: 'Anna <anna@example.com>',
    acceptedBy: 'Vera <vera@example.com>',
  });
});

test('a person with an account accepts while signed in, and keeps other memberships', async () => {
  testLedger.time.now += 1;
  const other = await testLedger.ledger.records.workspaces.create({ name: 'team two' }, 'owner');
  const input = { workspaceId: other.id, role: 'viewer' as const, email: null, expiresAt: testLedger.time.now + 1_000 };
  const { code } = await testLedger.ledger.records.invitations.create(input, { actor: 'owner', role: null });
  expect((await accept({ code, ...someone('Mira') })).status).toBe(409);
  const joined = await accept({ code }, member.headers);
  expect(((await joined.json()) as AccountShape).workspaces).toMatchObject([
    { id: 'ws_default', role: 'member' },
    { id: other.id, role: 'viewer' },
  ]);
});

test('an invitation for an address works for no other, and not after its expiry or revocation', async () => {
  const bound = await invite(owner, { role: 'viewer', email: 'only@example.com' });
  expect((await accept({ code: codeOf(bound), ...someone('Another') })).status).toBe(400);
  const gone = await invite(owner, { role: 'viewer' });
  expect(await statusOf(`/api/manage/invitations/${gone.id}`, { person: owner, method: 'DELETE' })).toBe(200);
  expect((await accept({ code: codeOf(gone), ...someone('Late') })).status).toBe(404);
  const old = await invite(owner, { role: 'viewer', days: 1 });
  testLedger.time.now += 86_400_000;
  expect((await accept({ code: codeOf(old), ...someone('Late') })).status).toBe(404);
});

test('an admin can grant only roles below owner, and cannot remove an owner', async () => {
  const path = `/api/manage/members/${owner.id}`;
  expect(await statusOf(path, { person: admin, method: 'DELETE' })).toBe(403);
  expect(await statusOf(path, { person: admin, method: 'PATCH', body: { role: 'viewer' } })).toBe(403);
  const own = `/api/manage/members/${admin.id}`;
  expect(await statusOf(own, { person: admin, method: 'PATCH', body: { role: 'owner' } })).toBe(403);
  const invitation = { person: admin, method: 'POST', body: { role: 'owner' } };
  expect(await statusOf('/api/manage/invitations', invitation)).toBe(403);
  expect(await statusOf('/api/manage/invitations', { ...invitation, person: member, body: { role: 'viewer' } })).toBe(
    403,
  );
});

test('an access token that manages members cannot create an owner', async () => {
  const token = await testLedger.createToken(['admin']);
  const asked = { token, method: 'POST', body: { role: 'owner' } };
  expect((await testLedger.ask('/api/manage/invitations', asked)).status).toBe(403);
  expect((await testLedger.ask('/api/manage/invitations', { ...asked, body: { role: 'admin' } })).status).toBe(201);
});

test('a workspace always has an owner', async () => {
  const path = `/api/manage/members/${owner.id}`;
  expect(await statusOf(path, { person: owner, method: 'DELETE' })).toBe(409);
  expect(await statusOf(path, { person: owner, method: 'PATCH', body: { role: 'admin' } })).toBe(409);
});

test('a member changes only keys and tokens that they created', async () => {
  const body = { name: "Mira's", provider: 'anthropic', providerKey: 'sk-good-provider-key-22222222' };
  const made = await ask('/api/manage/keys', { person: member, method: 'POST', body });
  expect(made.status).toBe(201);
  const { id } = (await made.json()) as { id: string };
  const rename = { person: member, method: 'PATCH', body: { name: 'renamed' } };
  expect(await statusOf(`/api/manage/keys/${id}`, rename)).toBe(200);
  const other = await testLedger.createKey('of others');
  expect(await statusOf(`/api/manage/keys/${other.id}`, rename)).toBe(403);
  expect(await statusOf(`/api/manage/keys/${other.id}`, { person: member, method: 'DELETE' })).toBe(403);
  const replace = { person: member, method: 'POST', body: { providerKey: 'sk-good-provider-key-33333333' } };
  expect(await statusOf(`/api/manage/keys/${other.id}/provider-key`, replace)).toBe(403);
  const share = { person: member, method: 'POST', body: { name: 's', provider: 'anthropic', providerKeyOf: other.id } };
  expect(await statusOf('/api/manage/keys', share)).toBe(403);
  // If another person's key shares the provider key, replacing it would change theirs.
  await testLedger.json('/api/manage/keys', {
    method: 'POST',
    body: { name: 's', provider: 'anthropic', providerKeyOf: id },
  });
  expect(await statusOf(`/api/manage/keys/${id}/provider-key`, replace)).toBe(403);
});

test("a token has at most its creator's rights, and is revoked with them", async () => {
  const nina = await addPerson(testLedger, 'Nina', 'admin');
  const create = async (person: Person, scopes: readonly string[]): Promise<string> => {
    const made = await ask('/api/manage/tokens', { person, method: 'POST', body: { name: scopes.join(), scopes } });
    return ((await made.json()) as { token: string }).token;
  };
  const [all, own] = [await create(nina, ['admin']), await create(nina, ['usage:read'])];
  const works = async (token: string): Promise<boolean> => (await testLedger.ask('/api/mcp/workspace', { token })).ok;
  await ask(`/api/manage/members/${nina.id}`, { person: owner, method: 'PATCH', body: { role: 'member' } });
  expect([await works(all), await works(own)]).toEqual([false, true]);
  for (const scope of ['admin', 'webhooks:write'])
    expect(
      await statusOf('/api/manage/tokens', { person: nina, method: 'POST', body: { name: 'x', scopes: [scope] } }),
    ).toBe(403);
  const seen = (await (await ask('/api/manage/tokens', { person: nina })).json()) as { createdBy: string }[];
  expect(seen.every(({ createdBy }) => createdBy === nina.id)).toBe(true);
  const removed = await ask(`/api/manage/members/${nina.id}`, { person: owner, method: 'DELETE' });
  expect(removed.status).toBe(200);
  expect(await works(own)).toBe(false);
  expect(testLedger.sentToGateway.filter(({ type }) => type === 'token-changed').length).toBeGreaterThan(1);
});

test('a removed member has no access from the next request on', async () => {
  const guest = await addPerson(testLedger, 'Gus', 'viewer');
  const stream = await testLedger.ask('/api/live', { token: null, headers: guest.headers });
  expect(await statusOf('/api/mcp/workspace', { person: guest })).toBe(200);
  await ask(`/api/manage/members/${guest.id}`, { person: owner, method: 'DELETE' });
  expect(await statusOf('/api/mcp/workspace', { person: guest })).toBe(404);
  expect(await hasEnded(stream)).toBe(true);
});

test("a removed member can't return through records that they created", async () => {
  const eva = await addPerson(testLedger, 'Eva', 'admin');
  const createToken = async (name: string, asked: object): Promise<string> => {
    const body = { name, scopes: ['admin'] };
    const made = await testLedger.ask('/api/manage/tokens', { ...asked, method: 'POST', body });
    return ((await made.json()) as { token: string }).token;
  };
  const first = await createToken("Eva's", { token: null, headers: eva.headers });
  const second = await createToken('made with it', { token: first });
  const kept = await invite(eva, { role: 'viewer' });
  const byToken = await invitedWith(second);
  const stream = await testLedger.ask('/api/live', { token: second });
  expect(stream.status).toBe(200);
  await ask(`/api/manage/members/${eva.id}`, { person: owner, method: 'DELETE' });
  expect(await hasEnded(stream)).toBe(true);
  for (const token of [first, second]) expect((await testLedger.ask('/api/mcp/workspace', { token })).status).toBe(401);
  for (const code of [codeOf(kept), codeOf(byToken)]) expect((await accept({ code }, eva.headers)).status).toBe(404);
  const list = (await (await ask('/api/manage/invitations', { person: owner })).json()) as InvitationShape[];
  expect(list.find(({ id }) => id === kept.id)?.state).toBe('revoked');
});

async function invitedWith(token: string): Promise<CreatedInvitation> {
  const asked = { token, method: 'POST', body: { role: 'admin' } };
  return (await testLedger.ask('/api/manage/invitations', asked)).json() as Promise<CreatedInvitation>;
}

/** Returns true if a stream has ended; an open one announces the new entry. */
async function hasEnded({ body }: Response): Promise<boolean> {
  await testLedger.ship([testLedger.entry()]);
  const decoder = new TextDecoder();
  for await (const bytes of body as ReadableStream<Uint8Array>)
    if (decoder.decode(bytes).includes('event: booked')) return false;
  return true;
}

test('when an owner becomes an admin, their invitations for owners become invalid', async () => {
  const otto = await addPerson(testLedger, 'Otto', 'owner');
  const [asOwner, asAdmin] = [await invite(otto, { role: 'owner' }), await invite(otto, { role: 'admin' })];
  await ask(`/api/manage/members/${otto.id}`, { person: owner, method: 'PATCH', body: { role: 'admin' } });
  const opens = async (one: CreatedInvitation): Promise<number> =>
    (await testLedger.ask('/api/account/invitation', { token: null, headers: { 'x-svc-code': codeOf(one) } })).status;
  expect([await opens(asOwner), await opens(asAdmin)]).toEqual([404, 200]);
});

test('a live stream ends with the session that opened it', async () => {
  const lena = await addPerson(testLedger, 'Lena', 'viewer');
  let { headers } = lena;
  const endedBy = async (path: string, body: object): Promise<void> => {
    const stream = await testLedger.ask('/api/live', { token: null, headers });
    expect(stream.status).toBe(200);
    const done = await testLedger.ask(`/api/auth/${path}`, { token: null, headers, method: 'POST', body });
    headers = { ...headers, cookie: cookieOf(done) };
    expect(await hasEnded(stream)).toBe(true);
  };
  await endedBy('change-password', { currentPassword: PASSWORD, newPassword: 'another long password' });
  await endedBy('sign-out', {});
});

test('members are listed to all members, and each change is in the audit log with its author', async () => {
  const list = (await (await ask('/api/manage/members', { person: member })).json()) as MemberShape[];
  expect(list.map(({ name, role }) => [name, role])).toEqual(
    expect.arrayContaining([
      ['Olga', 'owner'],
      ['Mira', 'member'],
    ]),
  );
  const answer = await ask('/api/manage/audit?limit=500', { person: admin });
  const { rows } = (await answer.json()) as { rows: { action: string; actorName: string | null }[] };
  expect(rows.find(({ action }) => action === 'member.role')?.actorName).toBe('Olga <olga@example.com>');
  const token = await testLedger.createToken(['admin']);
  await testLedger.ask('/api/manage/workspaces/ws_default', { token, method: 'PATCH', body: { name: 'renamed' } });
  const [newest] = (
    await testLedger.json<{ rows: { actorName: string | null }[] }>('/api/manage/audit?limit=1', {
      token: null,
      headers: admin.headers,
    })
  ).rows;
  expect(newest?.actorName).toMatch(/^token "token \d+"$/);
  const actions = new Set(rows.map(({ action }) => action));
  for (const action of ['claim.accept', 'invitation.create', 'invitation.accept', 'member.add', 'member.remove'])
    expect(actions).toContain(action);
  expect(await testLedger.ledger.records.audit.verify()).toMatchObject({ ok: true });
});

test('the list of tokens names the creator of each', async () => {
  await ask('/api/manage/tokens', { person: member, method: 'POST', body: { name: 'mine', scopes: ['usage:read'] } });
  const list = (await (await ask('/api/manage/tokens', { person: admin })).json()) as ListedToken[];
  expect(list.find(({ name }) => name === 'mine')?.createdByName).toBe('Mira <mira@example.com>');
});

test('full webhook URLs are visible only to those who may change them', async () => {
  const body = { name: 'ops', url: 'https://hooks.test/services/a-secret-path', type: 'SLACK', events: ['COST_SPIKE'] };
  await testLedger.json('/api/mcp/webhooks', { method: 'POST', body });
  const urlFor = async (person: Person): Promise<string | undefined> =>
    ((await (await ask('/api/mcp/webhooks', { person })).json()) as { url: string }[])[0]?.url;
  expect([await urlFor(admin), await urlFor(member)]).toEqual([body.url, 'https://hooks.test/…']);
});

test('the person who creates a workspace in the browser owns it', async () => {
  const made = await ask('/api/manage/workspaces', { person: owner, method: 'POST', body: { name: 'mine' } });
  const { id } = (await made.json()) as { id: string };
  const headers = { ...owner.headers, 'x-svc-workspace': id };
  expect(await testLedger.json('/api/manage/members', { token: null, headers })).toMatchObject([
    { userId: owner.id, role: 'owner' },
  ]);
  // Owning another workspace gives no right to the installation.
  const asked = { token: null, method: 'POST', headers, body: { name: 'another' } };
  expect((await testLedger.ask('/api/manage/workspaces', asked)).status).toBe(403);
  expect(await statusOf('/api/manage/workspaces', { person: admin, method: 'POST', body: { name: 'no' } })).toBe(403);
  expect(cookieOf(made)).toBe('');
});
