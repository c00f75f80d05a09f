import type { WrappedKeyShape } from '../contract/keys.ts';
import { endpoint } from './http/endpoint.ts';
import { toIso } from '../domain/time/period.ts';
import type { Records } from '../storage/records/records.ts';
import { isoOrNull, readExpiry } from '../contract/fields.ts';
import { TollbookError } from '../domain/errors.ts';
import { DEFAULT_THRESHOLDS, parseAmount } from '../domain/limits/limit-fields.ts';
import { CALL_NAMES, type CallName, type Limit, type LimitScope } from '../domain/limits/limit.ts';
import type { NewLimit } from '../storage/records/check-limit.ts';
import { parseKeyName } from '../domain/identity/name.ts';
import { parseTags } from '../domain/usage/tags.ts';
import { limitView } from './limit-view.ts';
import { requireOwn } from './permissions.ts';
import { unlessUnchanged } from '../domain/identity/stored-value.ts';
import { computeEtag } from './http/if-match.ts';
import { clientAddress, clientLines } from '../providers/client-lines.ts';
import type { Provider } from '../providers/provider.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { WrappedKey } from '../storage/records/key-rows.ts';
import type { ApiSettings } from './settings.ts';
import type { UsageQueries } from '../storage/usage-queries.ts';
import type { GatewayNotices } from './gateway-notices.ts';
import { unknownProvider } from './unknown-provider.ts';

/** Tests provider keys; provided by the ledger thread. */
export interface KeyTester {
  /** Tests a key by asking for the provider's free model list. */
  testKey(provider: Provider, providerKey: string): Promise<KeyTest>;
}

export type KeyTest =
  | { readonly ok: true }
  /** The provider could not be reached, or did not say, so the key is untested. `message` is a sentence. */
  | { readonly ok: false; readonly offline: true; readonly message: string }
  /** The provider refused the key. */
  | { readonly ok: false; readonly offline: false; readonly message: string; readonly status: number };

export interface KeyServices {
  readonly settings: ApiSettings;
  readonly records: Records;
  readonly reports: UsageQueries;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly gateway: Pick<GatewayNotices, 'keyChanged' | 'limitChanged'>;
  readonly installation: KeyTester;
}

/**
 * Tests a provider key. Returns warnings: the provider can't be reached, or it refused a key that the caller keeps
 * anyway. A key of the wrong kind is never accepted.
 * @throws TollbookError `unprocessable` for a key of the wrong kind, `provider_key_refused` for one that the provider refuses.
 */
export async function checkProviderKey(
  provider: Provider,
  providerKey: string,
  force: boolean,
  services: Pick<KeyServices, 'installation'>,
): Promise<string[]> {
  const refusal = provider.refuseKey(providerKey);
  if (refusal) throw new TollbookError('unprocessable', refusal, 'providerKey');
  const test = await services.installation.testKey(provider, providerKey);
  if (test.ok) return [];
  if (test.offline || force) return [test.message];
  if (providerKey === NO_PROVIDER_KEY)
    throw new TollbookError(
      'unprocessable',
      `${provider.name} asks for a provider key (status ${test.status}), and none was given. Give one; on the command line with --provider-key-stdin or --provider-key-env NAME.`,
      'providerKey',
    );
  throw new TollbookError('provider_key_refused', `${test.message} Check it, or keep it anyway.`, 'providerKey');
}

function wrappedKeyView(key: WrappedKey): WrappedKeyShape {
  return {
    id: key.id,
    name: key.name,
    provider: key.provider,
    credential: key.credential,
    publicId: key.publicId,
    tags: key.tags,
    createdAt: toIso(key.createdAt),
    createdBy: key.createdBy,
    expiresAt: isoOrNull(key.expiresAt),
    revokedAt: isoOrNull(key.revokedAt),
    providerKey: key.credential === 'subscription' ? null : providerKeyView(key),
    etag: keyEtag(key),
  };
}

function providerKeyView({ providerKey: { fingerprint, lastFour, setAt, usedBy } }: WrappedKey) {
  return { fingerprint, lastFour, setAt: toIso(setAt), usedBy };
}

function keyEtag({ id, name, tags, expiresAt, revokedAt, providerKey: { fingerprint, setAt } }: WrappedKey): string {
  return computeEtag({ id, name, tags, expiresAt, revokedAt, fingerprint, setAt });
}

export const listKeys = endpoint('GET /api/manage/keys', async ({ caller }, { records }: KeyServices) => {
  const keys = await records.keys.list(caller.workspaceId);
  return keys.map(wrappedKeyView);
});

export const getKey = endpoint(
  'GET /api/manage/keys/{id}',
  async ({ caller: { workspaceId }, path }, { records, reports }: KeyServices) => {
    const key = await records.keys.get(workspaceId, path.id);
    // A clock may have been set back between the key and its first call.
    const seen = await reports.keySeen(workspaceId, key.id, Math.max(0, key.createdAt - DAY_MS));
    return {
      ...wrappedKeyView(key),
      firstCallAt: isoOrNull(seen?.firstAt ?? null),
      lastCallAt: isoOrNull(seen?.lastAt ?? null),
    };
  },
);

export const createKey = endpoint('POST /api/manage/keys', async ({ caller, body }, services: KeyServices) => {
  const provider = services.providers.get(body.provider);
  if (!provider) throw unknownProvider(body.provider, services.providers.keys());
  const source = readCredentialSource(body, provider);
  if ('credential' in source && !provider.subscription) throw noSubscription(provider);
  // Spending with a key that others created falls under the rules that they set.
  if ('providerKeyOf' in source)
    requireOwn(caller, await services.records.keys.get(caller.workspaceId, source.providerKeyOf));
  // Checked before asking the provider, which is not needed to find a mistake in the request.
  const rest = {
    name: parseKeyName(body.name),
    tags: parseTags(body.tags),
    expiresAt: readExpiry(body.expiresAt, 'expiresAt'),
  };
  const budgets = readBudgets(body.budgets);
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
  const limits: Limit[] = [];
  for (const { of, amount } of budgets) {
    const input = newBudget(caller.workspaceId, { kind: 'each', of, keyId: key.id }, amount);
    const limit = await services.records.limits.create(input, caller.actor);
    services.gateway.limitChanged(limit);
    limits.push(limit);
  }
  await services.gateway.keyChanged(key.id);
  return {
    id: key.id,
    name: key.name,
    provider: key.provider,
    key: secret,
    ...(limits.length > 0 && { limits: limits.map(limitView) }),
    ...(warnings.length > 0 && { warnings }),
  };
});

interface KeyBudget {
  readonly of: CallName;
  /** nano-USD. */
  readonly amount: number;
}

function readBudgets(written: Partial<Record<CallName, number | string | undefined>>): KeyBudget[] {
  return CALL_NAMES.flatMap((of) => {
    const amount = written[of];
    return amount === undefined ? [] : [{ of, amount: readBudgetAmount(amount, `budgets.${of}`) }];
  });
}

/** Reads a budget above 0: with 0 the key could make no call. */
function readBudgetAmount(written: number | string, field: string): number {
  const amount = parseAmount('usd', written, field);
  if (amount > 0) return amount;
  throw new TollbookError(
    'invalid',
    `${field} must be above 0: with $0 every call of the key would be refused.`,
    field,
  );
}

function newBudget(workspaceId: string, scope: LimitScope, amount: number): NewLimit {
  return {
    workspaceId,
    scope,
    unit: 'usd',
    amount,
    window: 'total',
    action: 'block',
    thresholds: DEFAULT_THRESHOLDS,
    uncertain: 'keep',
    label: null,
    countsObserved: false,
  };
}

export function noSubscription({ name }: Provider): TollbookError {
  return new TollbookError('unprocessable', `${name} has no login of a subscription that clients send.`, 'credential');
}

interface CredentialFields {
  readonly providerKey?: string | undefined;
  readonly providerKeyOf?: string | undefined;
  readonly credential?: 'subscription' | undefined;
}

/** Sent to servers that ask for no key. */
export const NO_PROVIDER_KEY = 'none';

function readCredentialSource({ providerKey, providerKeyOf, credential }: CredentialFields, provider: Provider) {
  const { isKeyless } = provider;
  const given = [providerKey, providerKeyOf, credential].filter((value) => value !== undefined);
  if (given.length === 0 && isKeyless) return { providerKey: NO_PROVIDER_KEY };
  if (given.length !== 1)
    throw new TollbookError(
      'invalid',
      'Give one of providerKey, providerKeyOf, and credential "subscription"; on the command line --provider-key-stdin, --provider-key-env NAME, --provider-key-of ID, or --subscription.',
      'providerKey',
    );
  if (providerKey !== undefined) return { providerKey: toStoredKey(providerKey, provider) };
  return providerKeyOf === undefined ? ({ credential: 'subscription' } as const) : { providerKeyOf };
}

/** Returns a provider key as one word, also one that is a file. */
function toStoredKey(providerKey: string, { compactKey }: Provider): string {
  const key = providerKey.trim();
  return compactKey?.(key) ?? key;
}

export const updateKey = endpoint(
  'PATCH /api/manage/keys/{id}',
  async ({ caller, path, body, requireMatch }, { records, gateway }: KeyServices) => {
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
      requireMatch(wrappedKeyView(now));
    });
    await gateway.keyChanged(key.id);
    return wrappedKeyView(key);
  },
);

function readKeyName(written: string, before: string): string {
  return unlessUnchanged(before, written.trim(), () => parseKeyName(written));
}

export const replaceProviderKey = endpoint(
  'POST /api/manage/keys/{id}/provider-key',
  async ({ caller, path, body, requireMatch }, services: KeyServices) => {
    const { records, providers, gateway } = services;
    const key = await records.keys.get(caller.workspaceId, path.id);
    requireOwn(caller, ...(await keysSharingProviderKey(key, records)));
    const provider = providers.get(key.provider);
    if (!provider)
      throw new TollbookError(
        'unprocessable',
        `The provider "${key.provider}" of this key was removed. Add it again first.`,
      );
    const providerKey = toStoredKey(body.providerKey, provider);
    const warnings = await checkProviderKey(provider, providerKey, body.force, services);
    const changed = await records.keys.replaceProviderKey(
      caller.workspaceId,
      key.id,
      providerKey,
      caller.actor,
      (now) => requireMatch(wrappedKeyView(now)),
    );
    for (const one of changed) await gateway.keyChanged(one.id);
    return { changed: changed.map(wrappedKeyView), ...(warnings.length > 0 && { warnings }) };
  },
);

/** Returns all keys that share this provider key. */
async function keysSharingProviderKey(key: WrappedKey, { keys }: Records): Promise<readonly WrappedKey[]> {
  const sharers = (await keys.list(key.workspaceId)).filter(
    ({ providerKey, revokedAt }) => providerKey.id === key.providerKey.id && revokedAt === null,
  );
  return [key, ...sharers];
}

export const revokeKey = endpoint(
  'DELETE /api/manage/keys/{id}',
  async ({ caller, path, requireMatch }, { records, gateway }: KeyServices) => {
    const key = await records.keys.revoke(caller.workspaceId, path.id, caller.actor, (now) => {
      requireOwn(caller, now);
      requireMatch(wrappedKeyView(now));
    });
    await gateway.keyChanged(key.id);
    return wrappedKeyView(key);
  },
);

/** Placeholder of the specification for an unknown wrapped key. */
const PLACEHOLDER = '<WRAPPED_KEY>';

export const keyClientLines = endpoint(
  'GET /api/manage/keys/{id}/clients',
  async ({ caller, path }, { records, providers, settings }: KeyServices) => {
    const { provider: id, credential } = await records.keys.get(caller.workspaceId, path.id);
    const provider = providers.get(id);
    if (!provider)
      throw new TollbookError('not_found', `The provider "${id}" of this key was removed. Add it again first.`);
    const model = await findKnownModel(caller.workspaceId, provider, records);
    const clients = clientLines(provider, settings.baseUrl, PLACEHOLDER, credential);
    return {
      address: clientAddress(settings.baseUrl, provider),
      placeholder: PLACEHOLDER,
      clients: clients.map(({ client, lines }) => ({ client, lines: lines.map((line) => withModel(line, model)) })),
    };
  },
);

/** A model that can be written into a shell line or a program as it is. */
const PLAIN_MODEL = /^[\w./:@-]{1,100}$/;

/** Returns a model that an added provider serves: a deployment, else the newest custom price; null = none is known. */
async function findKnownModel(
  workspaceId: string,
  { id, priceProvider, deployments }: Provider,
  { prices }: Pick<Records, 'prices'>,
): Promise<string | null> {
  const priced = priceProvider === id ? await prices.list(workspaceId) : [];
  const own = priced.filter(({ card }) => card.provider === id).toSorted((a, b) => b.createdAt - a.createdAt);
  const names = [...(deployments?.keys() ?? []), ...own.map(({ card }) => card.model)];
  return names.find((name) => PLAIN_MODEL.test(name)) ?? null;
}

/** Writes a model in place of the placeholder of providers without a usual one. */
function withModel(line: string, model: string | null): string {
  return model === null ? line : line.replaceAll(/\b(?:MODEL|DEPLOYMENT)\b/g, () => model);
}
