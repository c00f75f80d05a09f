import { z } from 'zod';
import { TOKEN_SCOPES } from '../domain/identity/access.ts';
import { etag, time, createdBy, secret } from './fields.ts';

export const accessToken = z
  .object({
    id: z.string(),
    name: z.string(),
    publicId: z.string(),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    createdAt: time,
    createdBy,
    expiresAt: time.nullable(),
    revokedAt: time.nullable(),
    etag,
  })
  .meta({ id: 'AccessToken' });
export type AccessTokenShape = z.output<typeof accessToken>;

export const createdToken = z
  .object({ id: z.string(), name: z.string(), scopes: z.array(z.enum(TOKEN_SCOPES)), token: secret })
  .meta({ id: 'CreatedToken' });
export type CreatedToken = z.output<typeof createdToken>;
