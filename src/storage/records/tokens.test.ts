import { expect, test } from 'vitest';
import { hashSecret } from '../../lib/crypto/cipher.ts';
import { openTemporaryRecords, TEST_NOW } from '../../../test/support/temporary-records.ts';
import { DEFAULT_WORKSPACE } from './context.ts';

const input = { workspaceId: DEFAULT_WORKSPACE, name: 'reports', scopes: [], expiresAt: null };

test('a created token shows its secret once and is found by its hash', async () => {
  const { records } = await openTemporaryRecords();
  const { token, secret, hash } = await records.tokens.create(input, 'owner');
  expect(hash).toBe(hashSecret(secret));
  expect(token.scopes).toEqual(['usage:read', 'alerts:read', 'webhooks:write', 'sync:write']);
  expect(await records.tokens.findByHash(hash)).toEqual(token);
  expect(await records.tokens.list(DEFAULT_WORKSPACE)).toEqual([token]);
  expect(await records.tokens.get(DEFAULT_WORKSPACE, token.id)).toEqual(token);
  expect(await records.tokens.hashes()).toEqual([hash]);
  expect(JSON.stringify(token)).not.toContain(secret.slice(13));
});

test('a revoked token is not found, and revoking twice is allowed', async () => {
  const { records } = await openTemporaryRecords();
  const { token, hash } = await records.tokens.create(input, 'owner');
  const revoked = await records.tokens.revoke(DEFAULT_WORKSPACE, token.id, 'owner');
  expect(revoked).toMatchObject({ hash, token: { id: token.id } });
  expect(await records.tokens.revoke(DEFAULT_WORKSPACE, token.id, 'owner')).toEqual(revoked);
  expect(await records.tokens.findByHash(hash)).toBeNull();
  expect(await records.tokens.hashes()).toEqual([]);
});

test('a token is found until the instant of its expiry', async () => {
  const { records, time } = await openTemporaryRecords();
  const expiresAt = TEST_NOW + 1_000;
  const { hash } = await records.tokens.create({ ...input, expiresAt }, 'owner');
  time.now = expiresAt - 2;
  expect(await records.tokens.findByHash(hash)).not.toBeNull();
  expect(await records.tokens.findByHash(hash)).toBeNull();
});

test('a name is unique until its token is revoked', async () => {
  const { records } = await openTemporaryRecords();
  const { token } = await records.tokens.create(input, 'owner');
  await expect(records.tokens.create(input, 'owner')).rejects.toMatchObject({ type: 'conflict' });
  await records.tokens.revoke(DEFAULT_WORKSPACE, token.id, 'owner');
  await records.tokens.create(input, 'owner');
});
