import { z } from 'zod';
import { LIMIT_ACTIONS, LIMIT_UNITS, LIMIT_WINDOWS } from '../domain/limits/limit.ts';
import { DIGESTS } from '../domain/alerts/webhook.ts';
import { writtenAmount, writtenPolicy } from './limits.ts';
import { createdKey } from './keys.ts';
import { declaredPrice } from './prices.ts';
import { newProvider } from './providers.ts';

const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
  .optional();

const declaredProvider = newProvider.omit({ id: true }).extend({ name: newProvider.shape.name.optional() });
export type DeclaredProvider = z.output<typeof declaredProvider>;

const declaredKey = z.strictObject({
  provider: z.string(),
  tags: z.record(z.string(), z.string()).default({}),
  expiresAt: z.string().nullable().default(null).meta({ description: 'For example 2027-01-31; null = never' }),
  providerKeyEnv: variable.meta({
    description:
      'Environment variable with the provider key; needed when the key is created for a server that asks for one',
  }),
  credential: z
    .literal('subscription')
    .optional()
    .meta({ description: "Calls use the login of the client's own subscription" }),
  sameAs: z.string().optional().meta({ description: 'Name of the key whose provider key it shares' }),
});
export type DeclaredKey = z.output<typeof declaredKey>;

const declaredLimit = z.strictObject({
  key: z.string().optional().meta({ description: 'Name of a wrapped key' }),
  provider: z.string().optional(),
  model: z.string().optional().meta({ description: 'Pattern of model names' }),
  tag: z.string().optional().meta({ description: 'For example team=search' }),
  eachTag: z.string().optional().meta({ description: 'Key of a tag; each of its values is counted apart' }),
  each: z.string().optional().meta({ description: '`session`, `agent` or `run`, with `key` those of one key' }),
  unit: z.enum(LIMIT_UNITS),
  amount: writtenAmount,
  window: z.enum(LIMIT_WINDOWS).optional(),
  action: z.enum(LIMIT_ACTIONS).optional(),
  thresholds: z.array(z.number()).optional(),
  uncertainRule: z.string().optional(),
  label: z.string().nullable().optional(),
  countsObserved: z.boolean().optional(),
});
export type DeclaredLimit = z.output<typeof declaredLimit>;

const declaredWebhook = z.strictObject({
  name: z.string(),
  url: z.string(),
  type: z.string(),
  events: z.array(z.string()),
  digest: z.enum(DIGESTS).default('off'),
  secretEnv: variable.meta({ description: 'Environment variable with the signing secret' }),
});
export type DeclaredWebhook = z.output<typeof declaredWebhook>;

/** A declared state. Absent sections are not changed. */
const declaration = z.strictObject({
  providers: z
    .record(z.string(), declaredProvider)
    .optional()
    .meta({ description: 'Own providers by id, of the whole installation; only its owners may change them' }),
  prices: z.array(declaredPrice).optional().meta({ description: 'Custom prices by provider, model and `from`' }),
  keys: z.record(z.string(), declaredKey).optional().meta({ description: 'Wrapped keys by name' }),
  policies: z.record(z.string(), writtenPolicy).optional().meta({ description: 'Policies by name of the wrapped key' }),
  limits: z.array(declaredLimit).optional(),
  webhooks: z
    .array(declaredWebhook)
    .optional()
    .meta({ description: 'Webhooks by name; the secret of an existing webhook does not change' }),
});
export type ApplyDeclaration = z.output<typeof declaration>;

/** Returns the JSON Schema of the file, for editors. */
export function declarationSchema(): object {
  return z.toJSONSchema(declaration, { io: 'input' });
}

export const applyRequest = declaration.extend({
  dryRun: z.boolean().default(false).meta({ description: 'Only show the plan; change nothing' }),
  prune: z
    .boolean()
    .default(false)
    .meta({ description: 'Revoke or delete everything that the given sections do not list' }),
  force: z.boolean().default(false).meta({ description: 'Keep provider keys even if the provider refuses them' }),
  environment: z
    .record(z.string(), z.string())
    .default({})
    .meta({ description: 'Values of the required environment variables' }),
});

const change = z.object({
  action: z.enum(['create', 'change', 'leave', 'remove']),
  kind: z.enum(['provider', 'price', 'key', 'policy', 'limit', 'webhook']),
  name: z.string(),
  fields: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
});
export type AppliedChange = z.output<typeof change>;

export const applied = z
  .object({
    dryRun: z.boolean(),
    changes: z.array(change),
    missingVariables: z
      .array(z.object({ variable: z.string(), field: z.string() }))
      .meta({ description: 'Environment variables that this plan requires' }),
    created: z.array(createdKey).meta({ description: 'New wrapped keys; their secrets are shown once' }),
    warnings: z.array(z.string()),
    failure: z
      .string()
      .nullable()
      .meta({ description: 'Reason for stopping early; earlier changes are applied. null = complete' }),
  })
  .meta({ id: 'Applied' });
export type ApplyResult = z.output<typeof applied>;
