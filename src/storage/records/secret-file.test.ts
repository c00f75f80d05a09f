import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ADMIN_KEY, fill, HOOK_SECRET, opensEverything, PROVIDER_KEY } from '../../../test/support/stored-secrets.ts';
import { newKey, openSqliteRecords, temporaryFolder } from '../../../test/support/temporary-records.ts';

test('no file of the data folder contains a secret, before and after a rotation', async () => {
  const temporary = await openSqliteRecords(temporaryFolder(), null);
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

test('without SVC_SECRET a private secret file is created once and reused', async () => {
  const first = await openSqliteRecords(temporaryFolder(), null);
  const { webhookId } = await fill(first);
  const file = join(first.dataDir, 'secret');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, 'utf8');
  expect(text.length).toBe(43);
  await opensEverything(await openSqliteRecords(first.dataDir, null), webhookId);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('a missing or wrong secret file stops the start with a sentence, and no secret is generated', async () => {
  const { dataDir } = await openSqliteRecords();
  const file = join(dataDir, 'secret');
  await expect(openSqliteRecords(dataDir, null)).rejects.toThrow(`${file} is missing`);
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, '');
  await expect(openSqliteRecords(dataDir, null)).rejects.toThrow('is missing');
  writeFileSync(file, 'wrong');
  await expect(openSqliteRecords(dataDir, null)).rejects.toThrow('does not fit');
});

test('after a rotation of the file the new secret decrypts everything, also after a restart, and the old one nothing', async () => {
  const first = await openSqliteRecords(temporaryFolder(), null);
  const { webhookId } = await fill(first);
  const old = readFileSync(join(first.dataDir, 'secret'), 'utf8');
  expect(await first.records.rotateSecret(null, 'owner')).toEqual({ setByOperator: false });
  await opensEverything(first, webhookId);
  await first.records.keys.create(newKey('later'), 'owner');
  await first.records.rotateSecret('a secret of my own, long enough to be good', 'owner');
  expect(readFileSync(join(first.dataDir, 'secret'), 'utf8')).toBe('a secret of my own, long enough to be good');
  expect(readdirSync(first.dataDir).filter((name) => name.startsWith('secret'))).toEqual(['secret']);
  const second = await openSqliteRecords(first.dataDir, null);
  expect(await second.records.keys.listForGateway()).toHaveLength(2);
  await expect(openSqliteRecords(first.dataDir, old)).rejects.toThrow('does not fit');
});

test('a crash between the two steps of a rotation is completed at the next start', async () => {
  const first = await openSqliteRecords(temporaryFolder(), null);
  const { webhookId } = await fill(first);
  const [file, next] = [join(first.dataDir, 'secret'), join(first.dataDir, 'secret.next')];
  const old = readFileSync(file, 'utf8');
  // Committed, but the file not yet renamed.
  await first.records.rotateSecret(null, 'owner');
  const rotated = readFileSync(file, 'utf8');
  writeFileSync(file, old);
  writeFileSync(next, rotated);
  await opensEverything(await openSqliteRecords(first.dataDir, null), webhookId);
  expect(readFileSync(file, 'utf8')).toBe(rotated);
  // Staged, but never committed.
  writeFileSync(next, 'never-committed');
  await opensEverything(await openSqliteRecords(first.dataDir, null), webhookId);
  expect(existsSync(next)).toBe(false);
});

test.each([
  ['before its commit', "SELECT raise(ABORT, 'no room')"],
  ['at its commit', "INSERT INTO doomed VALUES ('absent')"],
])('a rotation that fails %s changes nothing, and the service continues with the old secret', async (_, failure) => {
  const first = await openSqliteRecords(temporaryFolder(), null);
  const { webhookId } = await fill(first);
  first.database.sqlite.exec(`
    CREATE TABLE doomed (parent TEXT REFERENCES workspaces (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER failing BEFORE INSERT ON audit BEGIN ${failure}; END`);
  await expect(first.records.rotateSecret(null, 'owner')).rejects.toThrow(/no room|FOREIGN KEY/);
  await opensEverything(first, webhookId);
  first.database.sqlite.exec('DROP TRIGGER failing');
  await first.records.keys.create(newKey('later'), 'owner');
  const second = await openSqliteRecords(first.dataDir, null);
  expect(await second.records.keys.listForGateway()).toHaveLength(2);
});
