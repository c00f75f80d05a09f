import { z } from 'zod';
import { DEPLOYMENT_NAME_CHARS_MAX, DEPLOYMENTS_MAX, PROVIDER_KINDS } from '../domain/identity/custom-provider.ts';
import { count, etag, usd } from './fields.ts';

const deploymentName = z.string().min(1).max(DEPLOYMENT_NAME_CHARS_MAX);
const deployments = z
  .record(deploymentName, deploymentName)
  .refine((names) => Object.keys(names).length <= DEPLOYMENTS_MAX, `may have at most ${DEPLOYMENTS_MAX} names`)
  .default({})
  .meta({ description: 'Names under which it serves models, with the model of each' });

/** An own provider in requests. */
export const newProvider = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be a lowercase word such as ollama'),
  name: z.string().min(1).max(100),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .meta({ description: 'Required, except for kinds whose URL follows from `region` and `project`' }),
  project: z.string().optional().meta({ description: 'Project on Vertex AI' }),
  region: z.string().optional().meta({ description: 'Region of the cloud, for example us-east5 or global' }),
  priceProvider: z
    .string()
    .nullable()
    .default(null)
    .meta({ description: 'Provider whose prices apply; null = only custom prices, or those of the kind' }),
  kind: z
    .enum(PROVIDER_KINDS)
    .nullable()
    .default(null)
    .meta({ description: 'API that it serves; null = the one that the URL implies' }),
  deployments,
});
export type NewProvider = z.output<typeof newProvider>;
export type NewProviderShape = z.input<typeof newProvider>;

export const provider = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    proxyUrl: z.string().meta({ description: 'Base address for clients' }),
    priceProvider: z.string().nullable(),
    hasReports: z.boolean().meta({ description: 'Its provider reports can be read with an admin key' }),
    hasSubscriptions: z.boolean().meta({ description: "Wrapped keys may use the login of a client's subscription" }),
    needsKey: z.boolean().meta({ description: 'Calls need a provider key; false = its server may ask for none' }),
    custom: z.boolean().meta({ description: 'Added by the operator' }),
    kind: z.enum(PROVIDER_KINDS).nullable().meta({ description: 'API that an added provider serves; null = built in' }),
    deployments,
    etag,
  })
  .meta({ id: 'Provider' });
export type ProviderShape = z.output<typeof provider>;

export const providerTest = z
  .object({
    reached: z.boolean().meta({ description: 'The provider answered' }),
    status: z.int().nullable().meta({ description: 'HTTP status of the provider; null = it did not answer' }),
    problem: z.string().nullable().meta({ description: 'Why the call failed; null = it did not' }),
    callId: z.string().nullable().meta({ description: 'Entry of the call; null = it is not recorded' }),
    keyId: z.string().meta({ description: 'Wrapped key of the call' }),
    model: z.string().nullable().meta({ description: 'Model of the answer; null = unknown' }),
    inputTokens: count.nullable().meta({ description: 'null = the answer states no usage' }),
    outputTokens: count.nullable().meta({ description: 'null = the answer states no usage' }),
    cost: usd.nullable().meta({ description: 'null = unknown' }),
    requestId: z.string().nullable().meta({ description: "The provider's id of the call; null = not found" }),
  })
  .meta({ id: 'ProviderTest' });
export type ProviderTest = z.output<typeof providerTest>;
