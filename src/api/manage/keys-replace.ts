import { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';
import type { Records, WrappedKey } from '../../storage/records/records.ts';
import { replacedKey } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { requireOwn } from '../permissions.ts';
import { checkProviderKey } from './check-provider-key.ts';
import { wrappedKeyView } from './key-view.ts';

export const replaceProviderKey = endpoint({
  method: 'POST',
  path: '/api/manage/keys/{id}/provider-key',
  summary: 'Replace the provider key behind a wrapped key',
  description: 'Every wrapped key that shares this provider key changes with it; the answer lists them.',
  scope: 'admin',
  right: 'work',
  body: z.strictObject({
    providerKey: z.string().min(1),
    force: z.boolean().default(false).meta({ description: 'Keep the provider key even if the provider refuses it' }),
  }),
  answer: replacedKey,
  async handle({ caller, path, body }, services) {
    const { records, providers, gateway: gate } = services;
    const key = await records.keys.get(caller.workspaceId, path.id);
    requireOwn(caller, ...(await keysSharingProviderKey(key, records)));
    const provider = providers.get(key.provider);
    if (!provider)
      throw new TollbookError(
        'impossible',
        `The provider "${key.provider}" of this key was removed; add it again first.`,
      );
    const providerKey = body.providerKey.trim();
    const warnings = await checkProviderKey(provider, providerKey, body.force, services);
    const changed = await records.keys.replaceProviderKey(caller.workspaceId, key.id, providerKey, caller.actor);
    for (const one of changed) await gate.keyChanged(one.id);
    return { changed: changed.map(wrappedKeyView), ...(warnings.length > 0 && { warnings }) };
  },
});

/** All keys that change with this one. */
async function keysSharingProviderKey(key: WrappedKey, { keys }: Records): Promise<readonly WrappedKey[]> {
  const sharers = (await keys.list(key.workspaceId)).filter(
    ({ providerKey, revokedAt }) => providerKey.id === key.providerKey.id && revokedAt === null,
  );
  return [key, ...sharers];
}
