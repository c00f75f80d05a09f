import { expect, test } from 'vitest';
import { OPEN_POLICY } from '../../domain/policy/policy.ts';
import { parseSecret } from '../../domain/identity/secret.ts';
import { hashSecret } from '../../lib/crypto/cipher.ts';
import {
  execute,
  newKey,
  openTemporaryRecords,
  TEST_NEXT_SECRET,
  TEST_NOW,
} from '../../../test/support/temporary-records.ts';
import { DEFAULT_WORKSPACE } from './context.ts';

test('a new key shows its secret once, and afterwards only its visible parts', async () => {
  const { records } = await openTemporaryRecords();
  const { key, secret } = await records.keys.create(newKey('prod', { tags: { Team: 'ai' } }), 'owner');
  expect(parseSecret(secret)).toEqual({ publicId: key.publicId });
  expect(key).toMatchObject({
    name: 'prod',
    provider: 'anthropic',
    tags: { team: 'ai' },
    revokedAt: null,
    expiresAt: null,
  });
  expect(key.providerKey).toMatchObject({ lastFour: 'cdef', usedBy: 1 });
  expect(key.providerKey.fingerprint).toMatch(/^[0-9a-f]{8}$/);
  expect(await records.keys.list(DEFAULT_WORKSPACE)).toEqual([key]);
  expect(await records.keys.get(DEFAULT_WORKSPACE, key.id)).toEqual(key);
  expect(JSON.stringify(key)).not.toContain(secret.slice(13));
  expect(JSON.stringify(key)).not.toContain('sk-ant-api03');
});

test('the gateway gets the hash and the decrypted provider key', async () => {
  const { records } = await openTemporaryRecords();
  const { key, secret } = await records.keys.create(newKey('prod'), 'owner');
  const gateKey = await records.keys.findForGateway(key.id);
  expect(gateKey).toEqual({
    id: key.id,
    hash: hashSecret(secret),
    credential: 'provider_key',
    workspaceId: DEFAULT_WORKSPACE,
    provider: 'anthropic',
    name: 'prod',
    tags: {},
    expiresAt: null,
    revokedAt: null,
    providerKey: 'sk-ant-api03-prod-0123456789abcdef',
    policy: OPEN_POLICY,
  });
  expect(await records.keys.listForGateway()).toEqual([gateKey]);
  expect(await records.keys.findForGateway('key_absent')).toBeNull();
  expect(await records.keys.findByHash(hashSecret(secret))).toEqual({ id: key.id, workspaceId: DEFAULT_WORKSPACE });
  expect(await records.keys.findByHash('absent')).toBeNull();
});

test('stored provider keys list the wrapped keys of all workspaces, and remain after these are erased', async () => {
  const { records } = await openTemporaryRecords();
  const other = await records.workspaces.create({ name: 'other', timeZone: 'UTC' }, 'owner');
  const { key: one } = await records.keys.create(newKey('one'), 'owner');
  const shared = newKey('two', { source: { providerKeyOf: one.id } });
  const { key: two } = await records.keys.create(shared, 'owner');
  const { key: apart } = await records.keys.create(newKey('one', { workspaceId: other.id }), 'owner');
  await records.keys.create(newKey('elsewhere', { provider: 'openai' }), 'owner');
  await records.keys.revoke(other.id, apart.id, 'owner');
  const held = await records.keys.heldKeys('anthropic');
  expect(held).toHaveLength(2);
  expect(held).toContainEqual({
    id: one.providerKey.id,
    key: 'sk-ant-api03-one-0123456789abcdef',
    fingerprint: one.providerKey.fingerprint,
    ends: null,
    lastFour: 'cdef',
    heldSince: one.providerKey.setAt,
    heldUntil: null,
    wrappedKeyIds: expect.arrayContaining([one.id, two.id]),
  });
  expect(held).toContainEqual(
    expect.objectContaining({ key: null, ends: null, lastFour: 'cdef', wrappedKeyIds: [apart.id] }),
  );
});

test('a replaced or erased provider key leaves its encrypted ends and the time that it was held', async () => {
  const { records, db, time } = await openTemporaryRecords();
  const text = (name: string): string => `sk-ant-api03-${name.repeat(20)}-${name}AA`;
  const { key } = await records.keys.create(newKey('one', { source: { providerKey: text('abc') } }), 'owner');
  const heldSince = key.providerKey.setAt;
  time.now += 1_000;
  const [replaced] = await records.keys.replaceProviderKey(DEFAULT_WORKSPACE, key.id, text('def'), 'owner');
  time.now += 1_000;
  await records.keys.revoke(DEFAULT_WORKSPACE, key.id, 'owner');
  const held = await records.keys.heldKeys('anthropic');
  expect(held).toMatchObject([
    { key: null, ends: { head: 'sk-ant-api03-abcabca', tail: 'bcAA' }, heldSince, wrappedKeyIds: [key.id] },
    { key: null, ends: { head: 'sk-ant-api03-defdefd', tail: 'efAA' }, heldSince: replaced?.providerKey.setAt },
  ]);
  const [first, second] = held.map(({ heldUntil }) => heldUntil ?? 0);
  expect(first).toBeLessThanOrEqual(held[1]?.heldSince ?? 0);
  expect(second).toBeGreaterThanOrEqual((first ?? 0) + 1_000);
  const rows = await execute(db, 'SELECT * FROM former_provider_keys');
  expect(JSON.stringify(rows)).not.toContain('abcabc');
  await records.rotateSecret(TEST_NEXT_SECRET, 'owner');
  expect(await records.keys.heldKeys('anthropic')).toEqual(held);
  // As an earlier version left it, which kept nothing.
  await execute(db, 'DELETE FROM former_provider_keys', 'UPDATE provider_keys SET set_at = set_at + 90000');
  expect(await records.keys.heldKeys('anthropic')).toMatchObject([
    { key: null, ends: null, lastFour: null, heldSince: key.createdAt },
    { key: null, ends: null, lastFour: 'efAA', heldUntil: expect.any(Number) },
  ]);
});

test('a name is unique until its key is revoked', async () => {
  const { records } = await openTemporaryRecords();
  const { key } = await records.keys.create(newKey('prod'), 'owner');
  const { key: other } = await records.keys.create(newKey('test'), 'owner');
  // It is its own, and no other's.
  expect((await records.keys.update(DEFAULT_WORKSPACE, key.id, { name: 'prod' }, 'owner')).name).toBe('prod');
  await expect(records.keys.create(newKey(' prod '), 'owner')).rejects.toMatchObject({ type: 'conflict' });
  await expect(records.keys.update(DEFAULT_WORKSPACE, other.id, { name: 'prod' }, 'owner')).rejects.toMatchObject({
    type: 'conflict',
  });
  await records.keys.revoke(DEFAULT_WORKSPACE, key.id, 'owner');
  expect((await records.keys.update(DEFAULT_WORKSPACE, other.id, { name: 'prod' }, 'owner')).name).toBe('prod');
});

test('a revoked key leaves the gateway, keeps its record, and cannot be restored', async () => {
  const { records } = await openTemporaryRecords();
  const { key, secret } = await records.keys.create(newKey('prod'), 'owner');
  const revoked = await records.keys.revoke(DEFAULT_WORKSPACE, key.id, 'owner');
  expect(revoked.revokedAt).toBeGreaterThan(TEST_NOW);
  expect(await records.keys.revoke(DEFAULT_WORKSPACE, key.id, 'owner')).toEqual(revoked);
  expect(await records.keys.listForGateway()).toEqual([]);
  expect(await records.keys.findForGateway(key.id)).toMatchObject({ revokedAt: revoked.revokedAt, providerKey: '' });
  expect(await records.keys.findByHash(hashSecret(secret))).not.toBeNull();
  for (const attempt of [
    () => records.keys.update(DEFAULT_WORKSPACE, key.id, { name: 'x' }, 'owner'),
    () => records.keys.update(DEFAULT_WORKSPACE, key.id, { expiresAt: null }, 'owner'),
    () => records.keys.update(DEFAULT_WORKSPACE, key.id, { tags: {} }, 'owner'),
    () => records.keys.replaceProviderKey(DEFAULT_WORKSPACE, key.id, 'sk-new', 'owner'),
    () => records.keys.providerKey(DEFAULT_WORKSPACE, key.id),
    () => records.keys.create(newKey('heir', { source: { providerKeyOf: key.id } }), 'owner'),
  ])
    await expect(attempt()).rejects.toMatchObject({ type: 'unprocessable' });
});

test('wrapped keys that share a provider key change it together, and the last revocation erases it', async () => {
  const { records, db } = await openTemporaryRecords();
  const { key: one } = await records.keys.create(newKey('one'), 'owner');
  const { key: two } = await records.keys.create(newKey('two', { source: { providerKeyOf: one.id } }), 'owner');
  expect(two.providerKey).toMatchObject({ id: one.providerKey.id, usedBy: 2 });
  const changed = await records.keys.replaceProviderKey(
    DEFAULT_WORKSPACE,
    two.id,
    'sk-ant-replaced-0123456789',
    'owner',
  );
  expect(changed.map((key) => key.id)).toEqual([one.id, two.id]);
  expect((await records.keys.listForGateway()).map((key) => key.providerKey)).toEqual(
    Array(2).fill('sk-ant-replaced-0123456789'),
  );
  await records.keys.revoke(DEFAULT_WORKSPACE, one.id, 'owner');
  expect(await records.keys.providerKey(DEFAULT_WORKSPACE, two.id)).toBe('sk-ant-replaced-0123456789');
  await records.keys.revoke(DEFAULT_WORKSPACE, two.id, 'owner');
  const rows = await db.selectFrom('provider_keys').select('sealed').execute();
  expect(rows).toEqual([{ sealed: null }]);
});

test('the tags of a key are checked, replaced, and sent to the gateway', async () => {
  const { records } = await openTemporaryRecords();
  const { key } = await records.keys.create(newKey('one', { tags: { team: 'ads', env: 'prod' } }), 'owner');
  const changed = await records.keys.update(DEFAULT_WORKSPACE, key.id, { tags: { Team: ' search ' } }, 'owner');
  expect(changed.tags).toEqual({ team: 'search' });
  expect((await records.keys.findForGateway(key.id))?.tags).toEqual({ team: 'search' });
  const malformed = records.keys.update(DEFAULT_WORKSPACE, key.id, { tags: { 'no spaces': 'x' } }, 'owner');
  await expect(malformed).rejects.toMatchObject({ type: 'invalid', param: 'tags' });
  expect((await records.audit.list({ workspaceId: null, limit: 1, before: null }))[0]).toMatchObject({
    action: 'key.tags',
    before: { tags: { team: 'ads', env: 'prod' } },
    after: { tags: { team: 'search' } },
  });
});

test('a provider key is shared within one provider only', async () => {
  const { records } = await openTemporaryRecords();
  const { key } = await records.keys.create(newKey('one'), 'owner');
  const attempt = records.keys.create(
    newKey('two', { provider: 'openai', source: { providerKeyOf: key.id } }),
    'owner',
  );
  await expect(attempt).rejects.toThrow('is for anthropic, not for openai');
});

test('an expiry can be set, moved into the past and taken away; a new key never begins expired', async () => {
  const { records } = await openTemporaryRecords();
  const { key } = await records.keys.create(newKey('one', { expiresAt: TEST_NOW + 1_000_000 }), 'owner');
  expect(key.expiresAt).toBe(TEST_NOW + 1_000_000);
  expect((await records.keys.update(DEFAULT_WORKSPACE, key.id, { expiresAt: 5 }, 'owner')).expiresAt).toBe(5);
  expect((await records.keys.findForGateway(key.id))?.expiresAt).toBe(5);
  expect((await records.keys.update(DEFAULT_WORKSPACE, key.id, { expiresAt: null }, 'owner')).expiresAt).toBeNull();
  await expect(records.keys.update(DEFAULT_WORKSPACE, key.id, { expiresAt: 1.5 }, 'owner')).rejects.toMatchObject({
    type: 'invalid',
  });
  await expect(records.keys.create(newKey('old', { expiresAt: TEST_NOW }), 'owner')).rejects.toThrow('in the past');
});

test.each([
  ['an empty name', newKey(' ')],
  ['a name of two lines', newKey('a\nb')],
  ['an empty provider key', newKey('a', { source: { providerKey: ' \n' } })],
  ['a provider key of two lines', newKey('a', { source: { providerKey: 'sk-one\r\nx-admin: 1' } })],
  ['a provider key beyond ASCII', newKey('a', { source: { providerKey: 'sk-é' } })],
  ['an endless provider key', newKey('a', { source: { providerKey: 'k'.repeat(4_097) } })],
  ['a malformed tag', newKey('a', { tags: { 'a b': 'c' } })],
  ['a tag named like a prototype', newKey('a', { tags: Object.fromEntries([['__proto__', 'x']]) })],
])('%s is refused and nothing is stored', async (_, input) => {
  const { records } = await openTemporaryRecords();
  await expect(records.keys.create(input, 'owner')).rejects.toMatchObject({ type: 'invalid' });
  expect(await records.keys.list(DEFAULT_WORKSPACE)).toEqual([]);
  expect(await records.audit.verify()).toEqual({ ok: true, rows: 0 });
});

test('nothing is shown of a short provider key', async () => {
  const { records } = await openTemporaryRecords();
  const { key } = await records.keys.create(newKey('local', { source: { providerKey: 'hunter2' } }), 'owner');
  expect(key.providerKey).toMatchObject({ fingerprint: null, lastFour: null });
});

test('a policy reaches the gateway and the audit log; the open policy removes it', async () => {
  const { records } = await openTemporaryRecords();
  const { key } = await records.keys.create(newKey('prod'), 'owner');
  expect(key.policy).toEqual(OPEN_POLICY);
  const policy = { ...OPEN_POLICY, allowedModels: ['claude-*'], maxOutputTokens: 500 };
  expect((await records.keys.setPolicy(DEFAULT_WORKSPACE, key.id, policy, 'owner')).policy).toEqual(policy);
  expect((await records.keys.findForGateway(key.id))?.policy).toEqual(policy);
  await records.keys.setPolicy(DEFAULT_WORKSPACE, key.id, OPEN_POLICY, 'owner');
  expect(await records.keys.get(DEFAULT_WORKSPACE, key.id)).toEqual(key);
  const [last, first] = await records.audit.list({ workspaceId: DEFAULT_WORKSPACE, limit: 2, before: null });
  expect(first).toMatchObject({ action: 'key.policy', after: { policy: { maxOutputTokens: 500 } } });
  expect(last).toMatchObject({ action: 'key.policy', before: { policy } });
});
