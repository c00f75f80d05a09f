import { z } from 'zod';
import { KEY_CREDENTIALS } from '../domain/identity/wrapped-key.ts';
import { etag, time, count, tags, createdBy, secret } from './fields.ts';
import { limit } from './limits.ts';

export const wrappedKey = z
  .object({
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    credential: z.enum(KEY_CREDENTIALS).meta({
      description: "`subscription`: calls use the login of the client's own subscription, which the client sends",
    }),
    publicId: z.string(),
    tags,
    createdAt: time,
    createdBy,
    expiresAt: time.nullable(),
    revokedAt: time.nullable(),
    providerKey: z
      .object({
        fingerprint: z.string().nullable(),
        lastFour: z.string().nullable(),
        setAt: time,
        usedBy: count.meta({ description: 'Wrapped keys that share this provider key' }),
      })
      .nullable()
      .meta({ description: 'null = `credential` is `subscription`' }),
    etag,
  })
  .meta({ id: 'WrappedKey' });
export type WrappedKeyShape = z.output<typeof wrappedKey>;

const warnings = z.array(z.string()).optional();

export const createdKey = z
  .object({
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    key: secret,
    limits: z.array(limit).optional().meta({ description: 'Limits that `budgets` created; absent = none' }),
    warnings,
  })
  .meta({ id: 'CreatedKey' });
export type CreatedKey = z.output<typeof createdKey>;

export const replacedKey = z
  .object({ changed: z.array(wrappedKey).meta({ description: 'All wrapped keys that share it' }), warnings })
  .meta({ id: 'ReplacedProviderKey' });
export type ReplacedKey = z.output<typeof replacedKey>;

export const wrappedKeyDetail = wrappedKey
  .extend({
    firstCallAt: time.nullable().meta({ description: 'null = no call recorded yet' }),
    lastCallAt: time.nullable(),
  })
  .meta({ id: 'WrappedKeyDetail' });
export type WrappedKeyDetail = z.output<typeof wrappedKeyDetail>;

export const keyClients = z
  .object({
    address: z.string().meta({ description: 'Base URL for the usual client library of the provider' }),
    placeholder: z.string().meta({ description: 'Placeholder for the wrapped key, which Tollbook does not store' }),
    clients: z.array(z.object({ client: z.string(), lines: z.array(z.string()) })),
  })
  .meta({ id: 'KeyClients' });
export type KeyClients = z.output<typeof keyClients>;
