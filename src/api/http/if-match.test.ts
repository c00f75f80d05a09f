import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADMIN_KEY, Organization, serveOrganization } from '../../../test/doubles/admin-api.ts';
import { addPerson, claimLedger } from '../../../test/people.ts';
import { openTestLedger, type TestLedger } from '../../../test/test-ledger.ts';
import { type RouteKey, type RouteRequest, routes } from '../../contract/routes.ts';
import type { Route } from '../../contract/route.ts';

let testLedger: TestLedger;
let organization: Organization;
let stop: () => Promise<void>;

beforeEach(async () => {
  organization = new Organization({ provider: 'anthropic' });
  const server = await serveOrganization(organization);
  stop = server.close;
  testLedger = await openTestLedger({ SVC_ANTHROPIC_URL: server.url });
});
afterEach(async () => {
  await testLedger.close();
  await stop();
});

type ConditionalRoute = {
  [Key in RouteKey]: (typeof routes)[Key] extends { readonly ifMatch: true } ? Key : never;
}[RouteKey];

/** A record that the test made. */
interface Subject {
  readonly params?: Readonly<Record<string, string>>;
  /** Returns the record as the API shows it; undefined = it is gone. */
  read(): Promise<{ readonly etag: string } | undefined>;
  /** Changes the record, as another person. Absent = it never changes. */
  change?(): Promise<unknown>;
}

interface ConditionalCase {
  readonly make: () => Promise<Subject>;
  /** Body of the request. */
  readonly body?: object;
}

const LIMIT = { scope: { kind: 'workspace' }, unit: 'usd', amount: 5, window: 'day' } as const;
const RAISE = { amount: 10, for: '2h' };
const NEW_ADMIN_KEY = 'sk-ant-admin01-of-the-double-9876543210';

/** Makes a record for each route that takes a condition. The type names each route that is missing. */
const CASES: Readonly<Record<ConditionalRoute, ConditionalCase>> = {
  'DELETE /api/manage/admin-keys/{id}': { make: makeAdminKey },
  'DELETE /api/manage/bill-lines/{id}': { make: makeBillLine },
  'DELETE /api/manage/contracts/{id}': { make: makeContract },
  'DELETE /api/manage/invitations/{id}': { make: makeInvitation },
  'DELETE /api/manage/keys/{id}': { make: makeKey },
  'DELETE /api/manage/limits/{id}': { make: makeLimit },
  'DELETE /api/manage/limits/{id}/raise': { make: makeRaisedLimit },
  'DELETE /api/manage/members/{userId}': { make: makeMember },
  'DELETE /api/manage/mutes/{id}': { make: makeMute },
  'DELETE /api/manage/policies/{keyId}': { make: makePolicy },
  'DELETE /api/manage/prices/{id}': { make: makePrice },
  'DELETE /api/manage/providers/{id}': { make: makeProvider },
  'DELETE /api/manage/tokens/{id}': { make: makeToken },
  'DELETE /api/manage/users/{user}': { make: makeUser },
  'DELETE /api/manage/views/{id}': { make: makeView },
  'DELETE /api/mcp/webhooks/{id}': { make: makeWebhook },
  'PATCH /api/manage/admin-keys/{id}': { make: makeAdminKey, body: { paused: false } },
  'PATCH /api/manage/detection': { make: makeDetection, body: { sensitivity: 'low' } },
  'PATCH /api/manage/keys/{id}': { make: makeKey, body: { name: 'b' } },
  'PATCH /api/manage/limits/{id}': { make: makeLimit, body: { amount: 7 } },
  'PATCH /api/manage/members/{userId}': { make: makeMember, body: { role: 'admin' } },
  'PATCH /api/manage/workspaces/{id}': { make: makeWorkspace, body: { retentionDays: 8 } },
  'PATCH /api/mcp/webhooks/{id}': { make: makeWebhook, body: { name: 'b' } },
  'POST /api/manage/admin-keys/{id}/replace': { make: makeReplacedAdminKey, body: { adminKey: NEW_ADMIN_KEY } },
  'POST /api/manage/keys/{id}/provider-key': {
    make: makeKey,
    body: { providerKey: 'sk-another-provider-key-2222222', force: true },
  },
  'POST /api/manage/limits/{id}/raise': { make: makeLimit, body: RAISE },
  'POST /api/manage/subscriptions/{id}/end': { make: makeSubscription, body: { endedAt: '2026-05-01' } },
  'POST /api/mcp/webhooks/{id}/secret': { make: makeWebhook, body: { dropOld: true } },
  'PUT /api/manage/limits': { make: makeLimit, body: { ...LIMIT, amount: 7 } },
  'PUT /api/manage/policies/{keyId}': { make: makePolicy, body: { geo: 'us' } },
};

async function makeLimit(): Promise<Subject> {
  const { id } = await testLedger.call('POST /api/manage/limits', { body: LIMIT });
  const params = { id };
  return {
    params,
    read: () => orUndefined('GET /api/manage/limits/{id}', { params }),
    change: () => testLedger.call('PATCH /api/manage/limits/{id}', { params, body: { label: 'theirs' } }),
  };
}

async function makeRaisedLimit(): Promise<Subject> {
  const limit = await makeLimit();
  await testLedger.call('POST /api/manage/limits/{id}/raise', {
    params: { id: limit.params?.['id'] ?? '' },
    body: RAISE,
  });
  return limit;
}

async function newKey(): Promise<string> {
  const body = { name: 'a', provider: 'anthropic', providerKey: 'sk-good-provider-key-11111111', force: true };
  return (await testLedger.call('POST /api/manage/keys', { body })).id;
}

async function makeKey(): Promise<Subject> {
  const params = { id: await newKey() };
  return {
    params,
    read: () => orUndefined('GET /api/manage/keys/{id}', { params }),
    change: () => testLedger.call('PATCH /api/manage/keys/{id}', { params, body: { tags: { team: 'theirs' } } }),
  };
}

async function makePolicy(): Promise<Subject> {
  const params = { keyId: await newKey() };
  return {
    params,
    read: () => orUndefined('GET /api/manage/policies/{keyId}', { params }),
    change: () => testLedger.call('PUT /api/manage/policies/{keyId}', { params, body: { tier: 'flex' } }),
  };
}

async function makeWebhook(): Promise<Subject> {
  const body = {
    name: 'a',
    url: 'https://hooks.test/x',
    type: 'CUSTOM',
    events: ['UNPRICED_MODEL'],
    secret: 'whsec_eA==',
  };
  const { id } = await testLedger.call('POST /api/mcp/webhooks', { body });
  const params = { id };
  return {
    params,
    read: () => orUndefined('GET /api/mcp/webhooks/{id}', { params }),
    change: () => testLedger.call('PATCH /api/mcp/webhooks/{id}', { params, body: { enabled: false } }),
  };
}

async function makeMember(): Promise<Subject> {
  await claimLedger(testLedger);
  const { id } = await addPerson(testLedger, 'Mira', 'member');
  const params = { userId: id };
  return {
    params,
    read: async () => (await testLedger.call('GET /api/manage/members')).find(({ userId }) => userId === id),
    change: () => testLedger.call('PATCH /api/manage/members/{userId}', { params, body: { role: 'viewer' } }),
  };
}

async function makeUser(): Promise<Subject> {
  await claimLedger(testLedger);
  const { id, headers } = await addPerson(testLedger, 'Mira', 'member');
  return {
    params: { user: id },
    read: async () => (await testLedger.call('GET /api/manage/users')).find((one) => one.id === id),
    change: () => testLedger.json('/api/account', { method: 'PATCH', body: { name: 'Theirs' }, headers, token: null }),
  };
}

function makeWorkspace(): Promise<Subject> {
  const params = { id: 'ws_default' };
  return Promise.resolve({
    params,
    read: async () => (await testLedger.call('GET /api/manage/workspaces')).find(({ id }) => id === params.id),
    change: () => testLedger.call('PATCH /api/manage/workspaces/{id}', { params, body: { timeZone: 'Asia/Tokyo' } }),
  });
}

function makeDetection(): Promise<Subject> {
  return Promise.resolve({
    read: () => orUndefined('GET /api/manage/detection', {}),
    change: () => testLedger.call('PATCH /api/manage/detection', { body: { minExcessUsd: 3 } }),
  });
}

async function makeSubscription(): Promise<Subject> {
  const { id } = await testLedger.call('POST /api/manage/subscriptions', { body: { plan: 'pro' } });
  const params = { id };
  return {
    params,
    read: async () => (await testLedger.call('GET /api/manage/subscriptions')).find((one) => one.id === id),
    change: () => testLedger.call('POST /api/manage/subscriptions/{id}/end', { params, body: {} }),
  };
}

async function makeAdminKey(): Promise<Subject> {
  const body = { name: 'main', provider: 'anthropic', adminKey: ADMIN_KEY };
  const { id } = await testLedger.call('POST /api/manage/admin-keys', { body });
  return {
    params: { id },
    read: async () => (await testLedger.call('GET /api/manage/admin-keys')).find((one) => one.id === id),
    change: () => testLedger.call('PATCH /api/manage/admin-keys/{id}', { params: { id }, body: { paused: true } }),
  };
}

async function makeReplacedAdminKey(): Promise<Subject> {
  const key = await makeAdminKey();
  organization.key = NEW_ADMIN_KEY;
  return key;
}

async function makeInvitation(): Promise<Subject> {
  const { id } = await testLedger.call('POST /api/manage/invitations', { body: { role: 'viewer' } });
  return {
    params: { id },
    read: async () => (await testLedger.call('GET /api/manage/invitations')).find((one) => one.id === id),
  };
}

async function makeToken(): Promise<Subject> {
  const { id } = await testLedger.call('POST /api/manage/tokens', { body: { name: 'a' } });
  return {
    params: { id },
    read: async () => (await testLedger.call('GET /api/manage/tokens')).find((one) => one.id === id),
  };
}

async function makeMute(): Promise<Subject> {
  const { id } = await testLedger.call('POST /api/manage/mutes', { body: { type: 'COST_SPIKE', reason: 'a test' } });
  return {
    params: { id },
    read: async () => (await testLedger.call('GET /api/manage/mutes')).find((one) => one.id === id),
  };
}

async function makeView(): Promise<Subject> {
  const view = { name: 'a', address: '/explore?by=key' };
  const { id } = await testLedger.call('POST /api/manage/views', { body: view });
  return {
    params: { id },
    read: async () => (await testLedger.call('GET /api/manage/views')).find((one) => one.id === id),
  };
}

async function makeBillLine(): Promise<Subject> {
  const body = { provider: 'openai', kind: 'credit', name: 'ours', amount: 5 } as const;
  const { id } = await testLedger.call('POST /api/manage/bill-lines', { body });
  return {
    params: { id },
    read: async () => (await testLedger.call('GET /api/manage/bill-lines')).find((one) => one.id === id),
  };
}

async function makeContract(): Promise<Subject> {
  const { id } = await testLedger.call('POST /api/manage/contracts', { body: { multiplier: '0.5' } });
  return {
    params: { id },
    read: async () => (await testLedger.call('GET /api/manage/contracts')).find((one) => one.id === id),
  };
}

async function makePrice(): Promise<Subject> {
  const body = { provider: 'anthropic', model: 'claude-x', usdPerMillion: { input: '1', output: '2' } };
  const { id } = await testLedger.call('POST /api/manage/prices', { body });
  return {
    params: { id },
    read: async () => (await testLedger.call('GET /api/manage/prices')).find((one) => one.id === id),
  };
}

async function makeProvider(): Promise<Subject> {
  const body = { id: 'mine', name: 'Mine', url: 'http://127.0.0.1:9/v1' };
  await testLedger.call('POST /api/manage/providers', { body });
  return {
    params: { id: 'mine' },
    read: async () => (await testLedger.call('GET /api/manage/providers')).find(({ id }) => id === 'mine'),
  };
}

type ReadRoute = Extract<RouteKey, `GET ${string}`>;

/** Reads one record and checks that its header repeats its version. */
async function orUndefined<Key extends ReadRoute>(
  key: Key,
  parts: RouteRequest<Key>,
): Promise<{ readonly etag: string } | undefined> {
  const answer = await testLedger.send(key, parts);
  if (answer.status === 404) return undefined;
  const record = (await answer.json()) as { readonly etag: string };
  expect(answer.headers.get('etag')).toBe(`"${record.etag}"`);
  return record;
}

const KEYS = Object.keys(CASES) as ConditionalRoute[];

function sendCase(key: ConditionalRoute, { params }: Subject, ifMatch?: string): Promise<Response> {
  const { body } = CASES[key];
  // The compiler can't combine the parts of a route that is chosen at run time.
  const parts = { ...(params && { params }), ...(body && { body }), ...(ifMatch !== undefined && { ifMatch }) };
  return testLedger.send(key, parts as unknown as RouteRequest<ConditionalRoute>);
}

async function readEtag(subject: Subject): Promise<string> {
  return (await subject.read())?.etag ?? expect.fail('the record is missing');
}

test.each(KEYS)('%s: a stale If-Match gets a 412 and changes nothing; the current one works', async (key) => {
  const subject = await CASES[key].make();
  const first = await readEtag(subject);
  await subject.change?.();
  const between = await subject.read();
  if (subject.change) expect(between?.etag).not.toBe(first);
  const stale = await sendCase(key, subject, subject.change ? first : 'stale');
  expect([stale.status, await stale.json()]).toMatchObject([
    412,
    { type: 'precondition_failed', param: 'If-Match', error: expect.stringContaining('Read it again') as string },
  ]);
  expect(await subject.read()).toEqual(between);
  const fresh = await sendCase(key, subject, between?.etag);
  expect([200, 201]).toContain(fresh.status);
  expect((await subject.read())?.etag).not.toBe(between?.etag);
});

test.each(KEYS)('%s: without If-Match the last change wins', async (key) => {
  const subject = await CASES[key].make();
  await subject.change?.();
  expect([200, 201]).toContain((await sendCase(key, subject)).status);
});

test.each(KEYS.filter((key) => /^(PATCH|PUT) |raise$/.test(key) && key !== 'DELETE /api/manage/limits/{id}/raise'))(
  '%s: of two concurrent changes of one version, one is refused',
  async (key) => {
    const subject = await CASES[key].make();
    await subject.change?.();
    const etag = await readEtag(subject);
    const answers = await Promise.all([1, 2].map(() => sendCase(key, subject, etag)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
  },
);

test('every route that changes or deletes a record takes If-Match', () => {
  const all = Object.entries<Route>(routes).filter(([key]) => /^(PATCH|PUT|DELETE) /.test(key));
  // People change only their own name there.
  expect(all.filter(([, { ifMatch }]) => !ifMatch).map(([key]) => key)).toEqual(['PATCH /api/account']);
});

test('If-Match may be a list, a star, or a tag without quotes; a weak tag never matches', async () => {
  const { params, read } = await makeLimit();
  const path = `/api/manage/limits/${params?.['id'] ?? ''}`;
  const ask = async (write: (etag: string) => string): Promise<number> => {
    const headers = { 'if-match': write((await read())?.etag ?? '') };
    return (await testLedger.ask(path, { method: 'PATCH', body: { amount: 7 }, headers })).status;
  };
  expect(await ask((etag) => `"other", "${etag}"`)).toBe(200);
  expect(await ask(() => '*')).toBe(200);
  expect(await ask((etag) => etag)).toBe(200);
  expect(await ask((etag) => `W/"${etag}"`)).toBe(412);
  expect(await ask(() => '')).toBe(412);
  const weak = { method: 'PATCH', body: { amount: 8 }, headers: { 'if-match': `W/"${(await read())?.etag}"` } };
  expect(await (await testLedger.ask(path, weak)).json()).toMatchObject({ error: expect.stringMatching(/weak tag/) });
});

test('a limit that does not exist matches nothing', async () => {
  const answer = await testLedger.send('PUT /api/manage/limits', { body: LIMIT, ifMatch: '*' });
  expect(answer.status).toBe(412);
  expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/^There is no such record/) });
  expect((await testLedger.call('GET /api/manage/limits')).limits).toEqual([]);
});

test('measured figures do not change the version of a record', async () => {
  const { read } = await makeWebhook();
  const key = await makeKey();
  const before = [await readEtag({ read }), await readEtag(key)];
  const shared = { name: 'b', provider: 'anthropic', providerKeyOf: key.params?.['id'] ?? '' };
  await testLedger.call('POST /api/manage/keys', { body: shared });
  await testLedger.ship([testLedger.entry({ keyId: key.params?.['id'] ?? '' })]);
  expect([await readEtag({ read }), await readEtag(key)]).toEqual(before);
});

test('/openapi.json shows the header, the 412 and the ETag', async () => {
  interface Operation {
    readonly parameters: readonly { readonly in: string; readonly name: string }[];
    readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
  }
  const { paths } = await testLedger.json<{ paths: Record<string, Record<string, Operation>> }>('/openapi.json');
  const operation = paths['/api/manage/limits/{id}']?.['patch'];
  expect(operation?.parameters).toContainEqual(expect.objectContaining({ in: 'header', name: 'If-Match' }));
  expect(Object.keys(operation?.responses ?? {})).toEqual(['200', '412', 'default']);
  expect(operation?.responses['200']?.headers).toHaveProperty('ETag');
});
