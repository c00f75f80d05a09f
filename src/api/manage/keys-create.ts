import { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';
import { parseKeyName } from '../../domain/identity/name.ts';
import { parseTags } from '../../domain/usage/tags.ts';
import { createdKey } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { requireOwn } from '../permissions.ts';
import { checkProviderKey } from './check-provider-key.ts';
import { expiry, keyTags, name } from './fields.ts';
import { readExpiry } from '../fields.ts';

export const createKey = endpoint({
  method: 'POST',
  path: '/api/manage/keys',
  summary: 'Make a wrapped key for a provider key',
  description: "The provider's free model list is asked first, to see whether the provider key works.",
  scope: 'admin',
  right: 'work',
  body: z.strictObject({
    name,
    provider: z.string(),
    providerKey: z.string().min(1).optional(),
    providerKeyOf: z.string().optional().meta({ description: 'Id of a wrapped key whose provider key is shared' }),
    tags: keyTags.default({}),
    expiresAt: expiry.default(null),
    force: z.boolean().default(false).meta({ description: 'Keep the provider key even if the provider refuses it' }),
  }),
  answer: createdKey,
  status: 201,
  async handle({ caller, body }, services) {
    const provider = services.providers.get(body.provider);
    if (!provider) throw unknownProvider(body.provider, services.providers.keys());
    const source = readProviderKeySource(body.providerKey, body.providerKeyOf);
    // What calls with a key that others made spends under the rules that they set for it.
    if ('providerKeyOf' in source)
      requireOwn(caller, await services.records.keys.get(caller.workspaceId, source.providerKeyOf));
    // Before the provider is asked: it has nothing to do with a slip in the request.
    const rest = {
      name: parseKeyName(body.name),
      tags: parseTags(body.tags),
      expiresAt: readExpiry(body.expiresAt, 'expiresAt'),
    };
    const warnings =
      'providerKey' in source ? await checkProviderKey(provider, source.providerKey, body.force, services) : [];
    const { key, secret } = await services.records.keys.create(
      {
        workspaceId: caller.workspaceId,
        provider: provider.id,
        source,
        ...rest,
      },
      caller.actor,
    );
    await services.gateway.keyChanged(key.id);
    return {
      id: key.id,
      name: key.name,
      provider: key.provider,
      key: secret,
      ...(warnings.length > 0 && { warnings }),
    };
  },
});

function unknownProvider(id: string, known: Iterable<string>): TollbookError {
  return new TollbookError(
    'invalid',
    `There is no provider "${id}"; choose from ${[...known].join(', ')}.`,
    'provider',
  );
}

function readProviderKeySource(providerKey: string | undefined, providerKeyOf: string | undefined) {
  if (providerKey !== undefined && providerKeyOf === undefined) return { providerKey: providerKey.trim() };
  if (providerKey === undefined && providerKeyOf !== undefined) return { providerKeyOf };
  throw new TollbookError('invalid', 'Give either providerKey or providerKeyOf.', 'providerKey');
}
