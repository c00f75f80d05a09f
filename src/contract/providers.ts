import { z } from 'zod';
import { DEPLOYMENT_NAME_CHARS_MAX, DEPLOYMENTS_MAX } from '../domain/identity/custom-provider.ts';
import { etag } from './fields.ts';

const deploymentName = z.string().min(1).max(DEPLOYMENT_NAME_CHARS_MAX);
export const deployments = z
  .record(deploymentName, deploymentName)
  .refine((names) => Object.keys(names).length <= DEPLOYMENTS_MAX, `may have at most ${DEPLOYMENTS_MAX} names`)
  .default({})
  .meta({ description: 'Names under which it serves models, with the model of each' });

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
    deployments,
    etag,
  })
  .meta({ id: 'Provider' });
export type ProviderShape = z.output<typeof provider>;
