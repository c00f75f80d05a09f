import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_WORKSPACE } from '../../src/storage/records/context.ts';
import { temporaryDatabase } from '../support/postgres.ts';
import { TEST_SECRET } from '../support/temporary-records.ts';
import { addPerson, type Person } from '../people.ts';
import { openTestLedger, type TestLedger } from '../test-ledger.ts';

/** Two whole ledgers, each with a folder of its own, on one database. */
async function openTwo(): Promise<[TestLedger, TestLedger]> {
  const url = await temporaryDatabase();
  const env = { SVC_DATABASE_URL: url, SVC_SECRET: TEST_SECRET };
  const ledgers: [TestLedger, TestLedger] = [await openTestLedger(env), await openTestLedger(env)];
  onTestFinished(async () => {
    for (const ledger of ledgers) await ledger.close();
  });
  for (const { ledger } of ledgers) {
    await ledger.snapshot();
    ledger.followChanges();
  }
  const client = new Client(url);
  await client.connect();
  await expect.poll(async () => (await client.query(LISTENERS)).rowCount).toBe(2);
  await client.end();
  return ledgers;
}

const OWNER = { actor: 'owner', role: null } as const;
const LISTENERS = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND query = 'LISTEN "tollbook_news"'`;

test('a key that one node revokes is revoked at the gateway of the other', async () => {
  const [one, two] = await openTwo();
  const { id } = await one.createKey('a');
  await one.ledger.records.keys.revoke(DEFAULT_WORKSPACE, id, 'owner');
  const revoked = (): unknown =>
    two.sentToGateway.findLast((message) => message.type === 'key-changed' && message.key.id === id);
  await expect.poll(revoked, { timeout: 10_000 }).toMatchObject({ key: { revokedAt: expect.any(Number) } });
});

test('calls that one node records are in the streams of the other', async () => {
  const [one, two] = await openTwo();
  const { id: keyId } = await one.createKey('a');
  const token = await two.createToken(['usage:read']);
  const { body } = await two.ask('/api/live', { token });
  await one.ship([one.entry({ keyId, callId: 'call_1' })]);
  let read = '';
  for await (const text of (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
    read += text;
    if (read.includes('event: recorded')) break;
  }
  expect(read).toContain('event: recorded\ndata: {"count":1,"ids":["call_1"]}');
});

/** Resolves when a stream ends. */
async function untilEnded({ body }: Response): Promise<void> {
  for await (const part of body ?? []) void part;
}

test('a stream on one node ends when its token is revoked on another', async () => {
  const [one, two] = await openTwo();
  const token = await one.createToken(['usage:read']);
  const stream = await two.ask('/api/live', { token });
  expect(stream.status).toBe(200);
  const [made] = await one.ledger.records.tokens.list(DEFAULT_WORKSPACE);
  await one.ledger.records.tokens.revoke(DEFAULT_WORKSPACE, made?.id ?? '', 'owner');
  await untilEnded(stream);
  expect((await two.ask('/api/live', { token })).status).toBe(401);
});

const endings: readonly [string, (node: TestLedger, person: Person) => Promise<unknown>][] = [
  [
    'signs out',
    (node, { headers }) => node.ask('/api/auth/sign-out', { token: null, method: 'POST', body: {}, headers }),
  ],
  [
    'is removed from the workspace',
    ({ ledger }, { id }) => ledger.records.members.remove(DEFAULT_WORKSPACE, id, OWNER),
  ],
  ['is removed', ({ ledger }, { id }) => ledger.records.users.remove(id, 'owner')],
];

test.each(endings)('a stream on one node ends when its user %s on another', async (_how, end) => {
  const [one, two] = await openTwo();
  const person = await addPerson(one, 'Ann', 'viewer');
  const stream = await two.ask('/api/live', { token: null, headers: person.headers });
  expect(stream.status).toBe(200);
  await end(one, person);
  await untilEnded(stream);
  expect((await two.ask('/api/live', { token: null, headers: person.headers })).ok).toBe(false);
});
