import { TollbookError } from '../../domain/errors.ts';
import { parseKeyName } from '../../domain/identity/name.ts';
import { parseTags } from '../../domain/usage/tags.ts';
import type { DeclaredKey } from '../../contract/apply.ts';
import { isoOrNull, readExpiry } from '../../contract/fields.ts';
import {
  compare,
  create,
  type ApplyContext,
  recordId,
  remove,
  type StepRun,
  type ApplyStep,
  within,
} from './apply-step.ts';
import type { WrappedKey } from '../../storage/records/key-rows.ts';
import { noSubscription, NO_PROVIDER_KEY } from '../keys.ts';
import { unknownProvider } from '../unknown-provider.ts';

/** A declared key with its defaults. */
interface WantedKey {
  readonly name: string;
  readonly provider: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly expiresAt: number | null;
  readonly sameAs: string | undefined;
  readonly providerKeyEnv: string | undefined;
  readonly credential: 'subscription' | undefined;
}

const DEFAULTS = { tags: {}, expiresAt: null, sameAs: null };

/** Plans the declared keys. A key comes before the keys that share its provider key. */
export function planKeys(declared: Readonly<Record<string, DeclaredKey>>, ground: ApplyContext): ApplyStep[] {
  const wanted = Object.entries(declared).map(([name, key]) =>
    within(`keys.${name}`, () => readDeclaredKey(name, key, ground)),
  );
  const missing = wanted.filter(({ name }) => !ground.keys.has(name));
  return [
    ...sharedFirst(missing, ground).map((key) => createKeyStep(key, ground)),
    ...wanted.flatMap((key) => {
      const there = ground.keys.get(key.name);
      return there ? [within(`keys.${key.name}`, () => changeKeyStep(key, there))] : [];
    }),
  ];
}

/** Plans revocations. They come after everything else, because limits and policies may still refer to the keys. */
export function pruneKeys(declared: Readonly<Record<string, DeclaredKey>>, { keys, prune }: ApplyContext): ApplyStep[] {
  if (!prune) return [];
  return [...keys.values()].filter(({ name }) => !Object.hasOwn(declared, name)).map(revokeStep);
}

function readDeclaredKey(name: string, declared: DeclaredKey, { providers, keys, now }: ApplyContext): WantedKey {
  const there = keys.get(name);
  if (!there && parseKeyName(name) !== name)
    throw new TollbookError('invalid', 'The name begins or ends with a space. Remove it.', '');
  const { provider: id, sameAs, providerKeyEnv, credential } = declared;
  const provider = providers.get(id);
  if (!provider) throw unknownProvider(id, providers.keys());
  const sources = [sameAs, providerKeyEnv, credential].filter((source) => source !== undefined).length;
  if (sources !== 1 && !(sources === 0 && provider.isKeyless))
    throw new TollbookError(
      'invalid',
      'A wrapped key needs one of providerKeyEnv, sameAs, and credential: subscription.',
      'providerKeyEnv',
    );
  if (credential && !provider.subscription) throw noSubscription(provider);
  const expiresAt = readExpiry(declared.expiresAt, 'expiresAt');
  if (expiresAt !== null && expiresAt <= now && !there)
    throw new TollbookError('invalid', 'expiresAt is in the past. Give a later day.', 'expiresAt');
  return {
    name,
    provider: id,
    tags: parseTags(declared.tags, there?.tags),
    expiresAt,
    sameAs,
    providerKeyEnv,
    credential,
  };
}

function sharedFirst(missing: readonly WantedKey[], { keys }: ApplyContext): WantedKey[] {
  const order: WantedKey[] = [];
  const known = new Map([...keys.values()].map(({ name, provider }) => [name, provider]));
  for (let waiting = missing; waiting.length > 0;) {
    const ready = waiting.filter(({ sameAs }) => sameAs === undefined || known.has(sameAs));
    for (const key of ready) {
      if (key.sameAs !== undefined) requireSameProvider(key, known.get(key.sameAs));
      known.set(key.name, key.provider);
    }
    const [stuck] = waiting;
    if (ready.length === 0 && stuck) throw unknownSource(stuck);
    order.push(...ready);
    waiting = waiting.filter((key) => !ready.includes(key));
  }
  return order;
}

function requireSameProvider({ name, provider, sameAs }: WantedKey, other: string | undefined): void {
  if (other === provider) return;
  throw new TollbookError(
    'invalid',
    `The provider key of "${sameAs}" is for ${other}, not for ${provider}. Name a key of ${provider}.`,
    `keys.${name}.sameAs`,
  );
}

function unknownSource({ name, sameAs }: WantedKey): TollbookError {
  return new TollbookError(
    'invalid',
    `No wrapped key "${sameAs}" with its own provider key. Name one from the file or an existing one.`,
    `keys.${name}.sameAs`,
  );
}

function createKeyStep(key: WantedKey, { providers }: ApplyContext): ApplyStep {
  const { name, provider, tags, expiresAt, sameAs, providerKeyEnv, credential } = key;
  const field = `keys.${name}.providerKeyEnv`;
  return {
    change: create(
      'key',
      name,
      { provider, credential, tags, expiresAt: isoOrNull(expiresAt), sameAs: sameAs ?? null },
      DEFAULTS,
    ),
    ...(providerKeyEnv !== undefined && { needs: { variable: providerKeyEnv, field } }),
    ...(sameAs === undefined && credential === undefined && { tests: { provider: providers.get(provider), field } }),
    run: (run) => createDeclaredKey(key, run),
  };
}

async function createDeclaredKey(
  wanted: WantedKey,
  { caller, services, environment, keyIds, created }: StepRun,
): Promise<void> {
  const { name, provider, tags, expiresAt } = wanted;
  const source = credentialSource(wanted, environment, keyIds);
  const input = { workspaceId: caller.workspaceId, name, provider, tags, expiresAt, source };
  const { key, secret } = await services.records.keys.create(input, caller.actor);
  keyIds.set(name, key.id);
  created.push({ id: key.id, name, provider, key: secret });
  await services.gateway.keyChanged(key.id);
}

function credentialSource(
  { credential, sameAs, providerKeyEnv }: WantedKey,
  environment: StepRun['environment'],
  keyIds: StepRun['keyIds'],
) {
  if (credential) return { credential };
  if (sameAs !== undefined) return { providerKeyOf: recordId(keyIds, sameAs) };
  return { providerKey: providerKeyEnv === undefined ? NO_PROVIDER_KEY : (environment[providerKeyEnv] ?? '') };
}

function changeKeyStep({ name, provider, credential, tags, expiresAt }: WantedKey, there: WrappedKey): ApplyStep {
  if (provider !== there.provider)
    throw new TollbookError(
      'unprocessable',
      `The wrapped key "${name}" is for ${there.provider}, which can't change. Revoke it first, or choose another name.`,
      'provider',
    );
  if ((credential ?? 'provider_key') !== there.credential)
    throw new TollbookError(
      'unprocessable',
      `The credential of the wrapped key "${name}" can't change. Revoke it first, or choose another name.`,
      'credential',
    );
  const before = { tags: there.tags, expiresAt: isoOrNull(there.expiresAt) };
  return {
    change: compare('key', name, before, { tags, expiresAt: isoOrNull(expiresAt) }),
    run: async ({ caller: { workspaceId, actor }, services: { records, gateway } }) => {
      await records.keys.update(workspaceId, there.id, { tags, expiresAt }, actor);
      await gateway.keyChanged(there.id);
    },
  };
}

function revokeStep({ id, name }: WrappedKey): ApplyStep {
  return {
    change: remove('key', name),
    run: async ({ caller, services }) => {
      await services.records.keys.revoke(caller.workspaceId, id, caller.actor);
      await services.gateway.keyChanged(id);
    },
  };
}
