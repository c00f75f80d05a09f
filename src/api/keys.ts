import { z } from 'zod';
import { createdKey, replacedKey, wrappedKey, type WrappedKeyShape } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { toIso } from '../domain/time/period.ts';
import type { Records } from '../storage/records/records.ts';
import { expiry, isoOrNull, keyTags, name, readExpiry } from './fields.ts';
import { keyClients, wrappedKeyDetail } from '../contract/keys.ts';
import { TollbookError } from '../domain/errors.ts';
import { parseKeyName } from '../domain/identity/name.ts';
import { parseTags } from '../domain/usage/tags.ts';
import { requireOwn } from './permissions.ts';
import { unlessUnchanged } from '../domain/identity/stored-value.ts';
import { seen } from '../contract/seen.ts';
import { requireUnchanged } from './http/if-match.ts';
import { clientLines } from '../providers/client-lines.ts';
import type { Provider } from '../providers/provider.ts';
import type { Services } from './services.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { WrappedKey } from '../storage/records/key-rows.ts';

/**
 * Tries a provider key out. Returns warnings: a provider that can't be reached, or a refusal that the caller wants to
 * live with. A key of the wrong kind is never taken.
 * @throws TollbookError `unprocessable` for a key of the wrong kind, `provider_key_refused` for one that the provider refuses.
 */
export async function checkProviderKey(
  provider: Provider,
  providerKey: string,
  force: boolean,
  services: Services,
): Promise<string[]> {
  const refusal = provider.refuseKey(providerKey);
  if (refusal) throw new TollbookError('unprocessable', refusal, 'providerKey');
  const test = await services.installation.testKey(provider, providerKey);
  if (test.ok) return [];
  if (test.offline || force) return [test.message];
  throw new TollbookError('provider_key_refused', `${test.message} Check it, or keep it all the same.`, 'providerKey');
}

export function wrappedKeyView(key: WrappedKey): WrappedKeyShape {
  const { fingerprint, lastFour, setAt, usedBy } = key.providerKey;
  return {
    id: key.id,
    name: key.name,
    provider: key.provider,
    publicId: key.publicId,
    tags: key.tags,
    createdAt: toIso(key.createdAt),
    createdBy: key.createdBy,
    expiresAt: isoOrNull(key.expiresAt),
    revokedAt: isoOrNull(key.revokedAt),
    providerKey: { fingerprint, lastFour, setAt: toIso(setAt), usedBy },
  };
}

export const listKeys = endpoint({
  method: 'GET',
  path: '/api/manage/keys',
  summary: 'List wrapped keys, newest first, revoked ones included',
  scope: 'admin',
  right: 'read',
  answer: z.array(wrappedKey),
  async handle({ caller }, { records }) {
    const keys = await records.keys.list(caller.workspaceId);
    return keys.map(wrappedKeyView);
  },
});

export const getKey = endpoint({
  method: 'GET',
  path: '/api/manage/keys/{id}',
  summary: 'One wrapped key, and when it was first and last used',
  scope: 'admin',
  right: 'read',
  answer: wrappedKeyDetail,
  async handle({ caller: { workspaceId }, path }, { records, reports }) {
    const key = await records.keys.get(workspaceId, path.id);
    // A clock may have been set back between the key and its first call.
    const seen = await reports.keySeen(workspaceId, key.id, Math.max(0, key.createdAt - DAY_MS));
    return {
      ...wrappedKeyView(key),
      firstCallAt: isoOrNull(seen?.firstAt ?? null),
      lastCallAt: isoOrNull(seen?.lastAt ?? null),
    };
  },
});

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

export const updateKey = endpoint({
  method: 'PATCH',
  path: '/api/manage/keys/{id}',
  summary: 'Rename a wrapped key, set its expiry or its tags',
  scope: 'admin',
  right: 'work',
  body: z.strictObject({ name: name.optional(), expiresAt: expiry.optional(), tags: keyTags.optional(), seen }),
  answer: wrappedKey,
  async handle({ caller, path, body }, { records, gateway: gate }) {
    const { workspaceId, actor } = caller;
    const before = await records.keys.get(workspaceId, path.id);
    const newName = body.name === undefined ? undefined : readKeyName(body.name, before.name);
    const tags = body.tags && parseTags(body.tags, before.tags);
    const expiresAt = body.expiresAt === undefined ? undefined : readExpiry(body.expiresAt, 'expiresAt');
    const change = {
      ...(newName !== undefined && { name: newName }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(tags && { tags }),
    };
    const key = await records.keys.update(workspaceId, path.id, change, actor, (now) => {
      requireOwn(caller, now);
      requireUnchanged(body.seen, wrappedKeyView(now));
    });
    await gate.keyChanged(key.id);
    return wrappedKeyView(key);
  },
});

function readKeyName(written: string, before: string): string {
  return unlessUnchanged(before, written.trim(), () => parseKeyName(written));
}

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
        'unprocessable',
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

export const revokeKey = endpoint({
  method: 'DELETE',
  path: '/api/manage/keys/{id}',
  summary: 'Revoke a wrapped key',
  description: 'Calls that begin after the answer are refused. Its entries stay in the book. Revoking twice is once.',
  scope: 'admin',
  right: 'work',
  answer: wrappedKey,
  async handle({ caller, path }, { records, gateway: gate }) {
    const key = await records.keys.revoke(caller.workspaceId, path.id, caller.actor, (now) => requireOwn(caller, now));
    await gate.keyChanged(key.id);
    return wrappedKeyView(key);
  },
});

/** The specification's word for a wrapped key that is not known. */
const PLACEHOLDER = '<WRAPPED_KEY>';

export const keyClientLines = endpoint({
  method: 'GET',
  path: '/api/manage/keys/{id}/clients',
  summary: 'Lines that are ready to be used with a wrapped key, per client',
  scope: 'admin',
  right: 'read',
  answer: keyClients,
  async handle({ caller, path }, { records, providers, settings }) {
    const { provider: id } = await records.keys.get(caller.workspaceId, path.id);
    const provider = providers.get(id);
    if (!provider) throw new TollbookError('not_found', `The provider "${id}" of this key was removed; add it again.`);
    const clients = clientLines(provider, settings.baseUrl, PLACEHOLDER);
    return {
      placeholder: PLACEHOLDER,
      clients: clients.map(({ client, lines }) => ({ client, lines: [...lines] })),
    };
  },
});
