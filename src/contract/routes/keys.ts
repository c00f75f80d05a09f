import { z } from 'zod';
import { wrappedKey, createdKey, replacedKey, wrappedKeyDetail, keyClients } from '../keys.ts';
import { count } from '../fields.ts';
import {
  customPrice,
  newContract,
  price,
  priceContract,
  priceListCoverage,
  priceUpdate,
  userPrice,
  repricePreview,
} from '../prices.ts';
import { newProvider, provider, providerTest } from '../providers.ts';
import { name, keyTags, expiry } from '../fields.ts';
import { keyPolicy, writtenAmount, writtenPolicy } from '../limits.ts';
import { MODEL_NAME_CHARS_MAX } from '../../domain/pricing/model-names.ts';
import type { RouteTable } from '../route.ts';

export const keyRoutes = {
  'GET /api/manage/keys': {
    summary: 'List wrapped keys, including revoked ones, newest first',
    scope: 'admin',
    right: 'read',
    response: z.array(wrappedKey),
  },
  'GET /api/manage/keys/{id}': {
    summary: 'Get a wrapped key with the times of its first and last use',
    scope: 'admin',
    right: 'read',
    response: wrappedKeyDetail,
  },
  'POST /api/manage/keys': {
    summary: 'Create a wrapped key',
    description:
      "Takes one of `providerKey`, `providerKeyOf`, and `credential: subscription`; none for a server that asks for no key. Tests a provider key with the provider's free model list first.",
    scope: 'admin',
    right: 'work',
    body: z.strictObject({
      name,
      provider: z.string(),
      providerKey: z.string().min(1).optional(),
      providerKeyOf: z.string().optional().meta({ description: 'Id of a wrapped key whose provider key is shared' }),
      credential: z
        .literal('subscription')
        .optional()
        .meta({ description: "Calls use the login of the client's own subscription, which the client sends" }),
      tags: keyTags.default({}),
      expiresAt: expiry.default(null),
      budgets: z
        .strictObject({
          session: writtenAmount.optional(),
          agent: writtenAmount.optional(),
          run: writtenAmount.optional(),
        })
        .default({})
        .meta({ description: 'Dollars for each session, agent and run: a blocking limit of the key for each' }),
      force: z.boolean().default(false).meta({ description: 'Keep the provider key even if the provider refuses it' }),
    }),
    response: createdKey,
    status: 201,
  },
  'PATCH /api/manage/keys/{id}': {
    summary: 'Rename a wrapped key, set its expiry or its tags',
    scope: 'admin',
    right: 'work',
    body: z.strictObject({ name: name.optional(), expiresAt: expiry.optional(), tags: keyTags.optional() }),
    ifMatch: true,
    response: wrappedKey,
  },
  'POST /api/manage/keys/{id}/provider-key': {
    summary: 'Replace the provider key behind a wrapped key',
    description: 'All wrapped keys that share the provider key change; the response lists them.',
    scope: 'admin',
    right: 'work',
    body: z.strictObject({
      providerKey: z.string().min(1),
      force: z.boolean().default(false).meta({ description: 'Keep the provider key even if the provider refuses it' }),
    }),
    ifMatch: true,
    response: replacedKey,
  },
  'DELETE /api/manage/keys/{id}': {
    summary: 'Revoke a wrapped key',
    description:
      'Calls that begin after the response are refused. Its entries stay in the ledger. Revoking it again changes nothing.',
    scope: 'admin',
    right: 'work',
    ifMatch: true,
    response: wrappedKey,
  },
  'GET /api/manage/keys/{id}/clients': {
    summary: 'Get setup lines for a wrapped key, by client',
    scope: 'admin',
    right: 'read',
    response: keyClients,
  },
  'GET /api/manage/policies': {
    summary: 'List wrapped keys that have a policy',
    scope: 'admin',
    right: 'read',
    response: z.array(keyPolicy),
  },
  'GET /api/manage/policies/{keyId}': {
    summary: 'Get the policy of a wrapped key',
    scope: 'admin',
    right: 'read',
    response: keyPolicy,
  },
  'PUT /api/manage/policies/{keyId}': {
    summary: 'Set the policy of a wrapped key',
    description: 'Replaces the whole policy. An absent field allows whatever the provider allows.',
    scope: 'admin',
    right: 'manage',
    body: writtenPolicy,
    ifMatch: true,
    response: keyPolicy,
  },
  'DELETE /api/manage/policies/{keyId}': {
    summary: 'Remove the policy of a wrapped key, so that it may do everything that its provider allows',
    scope: 'admin',
    right: 'manage',
    ifMatch: true,
    response: keyPolicy,
  },
  'GET /api/manage/prices': {
    summary: "List the workspace's custom prices",
    scope: 'admin',
    right: 'read',
    response: z.array(userPrice),
  },
  'POST /api/manage/prices': {
    summary: 'Set a custom price',
    description:
      'Takes precedence over all price lists for calls from `from` on. Replaces a custom price with the same `from`.',
    scope: 'admin',
    right: 'manage',
    body: customPrice,
    response: userPrice,
    status: 201,
  },
  'POST /api/manage/prices/preview': {
    summary: 'Preview a custom price: the recorded calls that it would price again',
    description: 'Changes nothing.',
    scope: 'admin',
    right: 'manage',
    body: customPrice,
    response: repricePreview,
  },
  'DELETE /api/manage/prices/{id}': {
    summary: 'Delete a custom price',
    description: 'Recorded entries keep their price.',
    scope: 'admin',
    right: 'manage',
    ifMatch: true,
    response: z.object({ id: z.string() }),
  },
  'GET /api/manage/prices/lists': {
    summary: 'Count the models of each price list that have a price',
    scope: 'admin',
    right: 'read',
    response: z.array(priceListCoverage),
  },
  'GET /api/manage/contracts': {
    summary: 'List prices by contract',
    scope: 'admin',
    right: 'read',
    response: z.array(priceContract),
  },
  'POST /api/manage/contracts': {
    summary: 'Set a price by contract',
    description:
      'Calls that begin from `from` on and before `until` cost `multiplier` times the listed price, or fixed prices. Recorded ones are priced again. Replaces a contract for the same calls with the same `from`.',
    scope: 'admin',
    right: 'manage',
    body: newContract,
    response: priceContract,
    status: 201,
  },
  'POST /api/manage/contracts/preview': {
    summary: 'Preview a price by contract: the recorded calls that it would price again',
    description: 'Changes nothing.',
    scope: 'admin',
    right: 'manage',
    body: newContract,
    response: repricePreview,
  },
  'DELETE /api/manage/contracts/{id}': {
    summary: 'Delete a contract as if it had never been',
    description: 'Its calls are priced again. To end a contract, set it again with `until`.',
    scope: 'admin',
    right: 'manage',
    ifMatch: true,
    response: z.object({ id: z.string() }),
  },
  'POST /api/manage/prices/refresh': {
    summary: 'Fetch a price list from the configured address',
    description: 'The list waits until it is applied. The response says what it would change.',
    scope: 'admin',
    right: 'operate',
    response: priceUpdate,
  },
  'GET /api/manage/prices/update': {
    summary: 'Get the fetched price list that waits to be applied',
    scope: 'admin',
    right: 'read',
    response: z.object({ update: priceUpdate.nullable() }),
  },
  'POST /api/manage/prices/update': {
    summary: 'Apply the fetched price list that waits',
    description: 'Unpriced calls get the prices. A list with large changes is refused unless `acceptLarge` is set.',
    scope: 'admin',
    right: 'operate',
    body: z.strictObject({ id: z.string().max(64), acceptLarge: z.boolean().optional() }),
    response: z.object({ source: z.string(), changes: count }),
  },
  'GET /api/mcp/pricing': {
    summary: 'List current prices by provider and model',
    scope: 'usage:read',
    right: 'read',
    query: z.object({ provider: z.string().min(1).optional() }),
    response: z.array(price),
  },
  'GET /api/manage/providers': {
    summary: 'List providers',
    scope: 'admin',
    right: 'read',
    response: z.array(provider),
  },
  'POST /api/manage/providers': {
    summary: 'Add a provider',
    description:
      'Calls go to its address, which may be private, so only owners of the installation can add one; access tokens can not.',
    scope: 'admin',
    right: 'operate',
    body: newProvider,
    response: provider,
    status: 201,
  },
  'POST /api/manage/providers/{id}/test': {
    summary: 'Send one small call to a provider',
    description:
      'Goes through the gateway like every call with the wrapped key: policy and limits apply, it is recorded, and costs what it costs.',
    scope: 'admin',
    right: 'work',
    body: z.strictObject({
      model: z.string().min(1).max(MODEL_NAME_CHARS_MAX),
      keyId: z.string().optional().meta({ description: 'Wrapped key; absent = the newest one for the provider' }),
    }),
    response: providerTest,
  },
  'DELETE /api/manage/providers/{id}': {
    summary: 'Delete an added provider',
    description: 'Its wrapped keys stop working. Its entries stay in the ledger.',
    scope: 'admin',
    right: 'operate',
    ifMatch: true,
    response: z.object({ id: z.string() }),
  },
} as const satisfies RouteTable;
