import { expect } from 'vitest';
import { DEFAULT_WORKSPACE } from '../../src/storage/records/context.ts';
import { newAdminKey, newKey, type TemporaryRecords } from './temporary-records.ts';

export const PROVIDER_KEY = 'sk-ant-api03-one-0123456789abcdef';
export const ADMIN_KEY = 'sk-ant-admin01-only-here-0123456789abcdef';
const HOOK_URL = 'https://hooks.test/services/T000/B000/hidden-part';
export const HOOK_SECRET = 'whsec_hidden-signing-secret';

/** Stores a secret of each kind. */
export async function fill({
  records,
}: TemporaryRecords): Promise<{ wrapped: string; token: string; webhookId: string }> {
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

/** Checks that the secrets of `fill` can be read. */
export async function opensEverything({ records }: TemporaryRecords, webhookId: string): Promise<void> {
  expect((await records.keys.listForGateway()).map((key) => key.providerKey)).toEqual([PROVIDER_KEY]);
  expect((await records.webhooks.get(DEFAULT_WORKSPACE, webhookId)).url).toBe(HOOK_URL);
  const [adminKey] = await records.adminKeys.list(DEFAULT_WORKSPACE);
  expect(await records.adminKeys.secret(adminKey?.id ?? '')).toBe(ADMIN_KEY);
}
