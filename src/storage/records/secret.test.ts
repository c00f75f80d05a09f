import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  newAdminKey,
  newKey,
  openTemporaryRecords,
  TEST_SECRET,
  type TemporaryRecords,
  temporaryFolder,
} from '../../../test/support/temporary-records.ts';
import { DEFAULT_WORKSPACE } from './context.ts';

const PROVIDER_KEY = 'sk-ant-api03-one-0123456789abcdef';
const ADMIN_KEY = 'sk-ant-admin01-only-here-0123456789abcdef';
const HOOK_URL = 'https://hooks.test/services/T000/B000/hidden-part';
const HOOK_SECRET = 'whsec_hidden-signing-secret';

async function fill({ records }: TemporaryRecords): Promise<{ wrapped: string; token: string; webhookId: string }> {
  const key = await records.keys.create(newKey('one'), 'owner');
  const token = await records.tokens.create(
    { workspaceId: DEFAULT_WORKSPACE, name: 't', scopes: [], expiresAt: null },
    'owner',
  );
  const webhook = await records.webhooks.create(
    {
      workspaceId: DEFAULT_WORKSPACE,
      name: 'h',
      url: HOOK_URL,
      type: 'SLACK',
      events: ['OVERRUN'],
      secret: HOOK_SECRET,
      digest: 'off',
    },
    'owner',
  );
  await records.adminKeys.create(newAdminKey({ key: ADMIN_KEY }), 'owner');
  return { wrapped: key.secret, token: token.secret, webhookId: webhook.id };
}

async function opensEverything({ records }: TemporaryRecords, webhookId: string): Promise<void> {
  expect((await records.keys.listForGateway()).map((key) => key.providerKey)).toEqual([PROVIDER_KEY]);
  expect((await records.webhooks.get(DEFAULT_WORKSPACE, webhookId)).url).toBe(HOOK_URL);
  const [adminKey] = await records.adminKeys.list(DEFAULT_WORKSPACE);
  expect(await records.adminKeys.secret(adminKey?.id ?? '')).toBe(ADMIN_KEY);
}

test('no file of the data folder contains a secret, before and after a rotation', async () => {
  const temporary = await openTemporaryRecords(temporaryFolder(), null);
  const { wrapped, token } = await fill(temporary);
  const master = readFileSync(join(temporary.dataDir, 'secret'), 'utf8');
  const scan = (): void => {
    const bytes = Buffer.concat(
      readdirSync(temporary.dataDir)
        .filter((name) => name.startsWith('ledger.db'))
        .map((name) => readFileSync(join(temporary.dataDir, name))),
    );
    expect(bytes.includes('wrapped_keys')).toBe(true);
    for (const secret of [
      wrapped,
      wrapped.slice(13),
      token.slice(13),
      PROVIDER_KEY,
      PROVIDER_KEY.slice(7, 20),
      ADMIN_KEY,
      ADMIN_KEY.slice(15, 30),
      'hidden-part',
      HOOK_SECRET,
      master,
    ])
      expect(bytes.includes(secret)).toBe(false);
  };
  scan();
  await temporary.records.rotateSecret(null, 'owner');
  scan();
});

test('without SVC_SECRET a private secret file is made once and used again', async () => {
  const first = await openTemporaryRecords(temporaryFolder(), null);
  const { webhookId } = await fill(first);
  const file = join(first.dataDir, 'secret');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, 'utf8');
  expect(text.length).toBe(43);
  await opensEverything(await openTemporaryRecords(first.dataDir, null), webhookId);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('with SVC_SECRET no file is made', async () => {
  const { dataDir } = await openTemporaryRecords();
  expect(existsSync(join(dataDir, 'secret'))).toBe(false);
});

test.each(['another-master-secret-0123456789-0123456789', `${TEST_SECRET} `, 'short'])(
  'the wrong SVC_SECRET %j stops the start with a sentence',
  async (secret) => {
    const { dataDir } = await openTemporaryRecords();
    await expect(openTemporaryRecords(dataDir, secret)).rejects.toThrow('SVC_SECRET does not fit this data folder');
  },
);

test('a missing or wrong secret file stops the start with a sentence, and none is made up', async () => {
  const { dataDir } = await openTemporaryRecords();
  const file = join(dataDir, 'secret');
  await expect(openTemporaryRecords(dataDir, null)).rejects.toThrow(`${file} is missing`);
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, '');
  await expect(openTemporaryRecords(dataDir, null)).rejects.toThrow('is missing');
  writeFileSync(file, 'wrong');
  await expect(openTemporaryRecords(dataDir, null)).rejects.toThrow('does not fit');
});

test('a rotation of the file opens everything before and after a restart, and the old secret nothing', async () => {
  const first = await openTemporaryRecords(temporaryFolder(), null);
  const { webhookId } = await fill(first);
  const old = readFileSync(join(first.dataDir, 'secret'), 'utf8');
  expect(await first.records.rotateSecret(null, 'owner')).toEqual({ setByOperator: false });
  await opensEverything(first, webhookId);
  await first.records.keys.create(newKey('later'), 'owner');
  await first.records.rotateSecret('a secret of my own, long enough to be good', 'owner');
  expect(readFileSync(join(first.dataDir, 'secret'), 'utf8')).toBe('a secret of my own, long enough to be good');
  expect(readdirSync(first.dataDir).filter((name) => name.startsWith('secret'))).toEqual(['secret']);
  const second = await openTemporaryRecords(first.dataDir, null);
  expect(await second.records.keys.listForGateway()).toHaveLength(2);
  await expect(openTemporaryRecords(first.dataDir, old)).rejects.toThrow('does not fit');
});

test('a rotation of SVC_SECRET needs the new one and leaves setting it to the operator', async () => {
  const first = await openTemporaryRecords();
  const { webhookId } = await fill(first);
  await expect(first.records.rotateSecret(null, 'owner')).rejects.toThrow('give the new one');
  await expect(first.records.rotateSecret('  ', 'owner')).rejects.toThrow('empty');
  expect(await first.records.rotateSecret('the-next-master-secret-0123456789abcdef', 'owner')).toEqual({
    setByOperator: true,
  });
  await opensEverything(
    await openTemporaryRecords(first.dataDir, 'the-next-master-secret-0123456789abcdef'),
    webhookId,
  );
  expect(existsSync(join(first.dataDir, 'secret.next'))).toBe(false);
});

test('a crash between the two steps of a rotation is made good at the next start', async () => {
  const first = await openTemporaryRecords(temporaryFolder(), null);
  const { webhookId } = await fill(first);
  const [file, next] = [join(first.dataDir, 'secret'), join(first.dataDir, 'secret.next')];
  const old = readFileSync(file, 'utf8');
  // Committed, but the file not yet renamed.
  await first.records.rotateSecret(null, 'owner');
  const rotated = readFileSync(file, 'utf8');
  writeFileSync(file, old);
  writeFileSync(next, rotated);
  await opensEverything(await openTemporaryRecords(first.dataDir, null), webhookId);
  expect(readFileSync(file, 'utf8')).toBe(rotated);
  // Staged, but never committed.
  writeFileSync(next, 'never-committed');
  await opensEverything(await openTemporaryRecords(first.dataDir, null), webhookId);
  expect(existsSync(next)).toBe(false);
});

test.each([
  ['before its commit', "SELECT raise(ABORT, 'no room')"],
  ['at its commit', "INSERT INTO doomed VALUES ('absent')"],
])('a rotation that fails %s changes nothing, and the service goes on with the old secret', async (_, failure) => {
  const first = await openTemporaryRecords(temporaryFolder(), null);
  const { webhookId } = await fill(first);
  first.database.sqlite.exec(`
    CREATE TABLE doomed (parent TEXT REFERENCES workspaces (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER failing BEFORE INSERT ON audit BEGIN ${failure}; END`);
  await expect(first.records.rotateSecret(null, 'owner')).rejects.toThrow(/no room|FOREIGN KEY/);
  await opensEverything(first, webhookId);
  first.database.sqlite.exec('DROP TRIGGER failing');
  await first.records.keys.create(newKey('later'), 'owner');
  const second = await openTemporaryRecords(first.dataDir, null);
  expect(await second.records.keys.listForGateway()).toHaveLength(2);
});

test('readers and writers can decrypt every secret during a rotation', async () => {
  const first = await openTemporaryRecords(temporaryFolder(), null);
  await fill(first);
  const { records } = first;
  await Promise.all([
    records.keys.listForGateway(),
    records.rotateSecret(null, 'owner'),
    records.keys.listForGateway(),
    records.keys.create(newKey('beside'), 'owner'),
    records.keys.listForGateway(),
  ]);
  const second = await openTemporaryRecords(first.dataDir, null);
  expect(await second.records.keys.listForGateway()).toHaveLength(2);
});

test('of two rotations at once the second is refused', async () => {
  const first = await openTemporaryRecords(temporaryFolder(), null);
  const { webhookId } = await fill(first);
  const rotations = [first.records.rotateSecret(null, 'owner'), first.records.rotateSecret(null, 'owner')];
  const [one, two] = await Promise.allSettled(rotations);
  expect(one).toMatchObject({ status: 'fulfilled' });
  expect(two).toMatchObject({ status: 'rejected', reason: { type: 'conflict' } });
  await first.records.rotateSecret(null, 'owner');
  await opensEverything(await openTemporaryRecords(first.dataDir, null), webhookId);
});

test('a changed, swapped or foreign ciphertext is refused with a sentence', async () => {
  const { records, database } = await openTemporaryRecords();
  const { key } = await records.keys.create(newKey('one'), 'owner');
  const { key: other } = await records.keys.create(newKey('two'), 'owner');
  const sealedOf = async (id: string): Promise<string> =>
    (await database.db.selectFrom('provider_keys').select('sealed').where('id', '=', id).executeTakeFirstOrThrow())
      .sealed ?? '';
  const own = await sealedOf(key.providerKey.id);
  const flipped = own.slice(0, -2) + (own.at(-2) === 'A' ? 'B' : 'A') + own.slice(-1);
  for (const sealed of [flipped, await sealedOf(other.providerKey.id), 'v1.AAAA', '']) {
    await database.db.updateTable('provider_keys').set({ sealed }).where('id', '=', key.providerKey.id).execute();
    await expect(records.keys.providerKey(DEFAULT_WORKSPACE, key.id)).rejects.toThrow("can't be opened");
    const opened = (await records.keys.listForGateway()).map(({ name, providerKey }) => [name, providerKey !== '']);
    expect(Object.fromEntries(opened)).toEqual({ one: false, two: true });
  }
});
