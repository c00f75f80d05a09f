import { z } from 'zod';
import { etag } from './fields.ts';

export const provider = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    proxyUrl: z.string().meta({ description: 'Base address for clients' }),
    priceProvider: z.string().nullable(),
    hasReports: z.boolean().meta({ description: 'Its provider reports can be read with an admin key' }),
    hasSubscriptions: z.boolean().meta({ description: "Wrapped keys may use the login of a client's subscription" }),
    custom: z.boolean().meta({ description: 'Added by the operator' }),
    etag,
  })
  .meta({ id: 'Provider' });
export type ProviderShape = z.output<typeof provider>;
