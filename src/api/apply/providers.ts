import type { DeclaredProvider } from '../../contract/apply.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { CustomProvider } from '../../domain/identity/custom-provider.ts';
import type { Provider } from '../../providers/provider.ts';
import { customProvider } from '../../providers/providers.ts';
import { checkAllowed } from '../http/caller.ts';
import type { Caller } from '../http/endpoint.ts';
import { readAddedProvider } from '../providers.ts';
import { compare, create, remove, type ApplyContext, type ApplyStep, within } from './apply-step.ts';

/** Changes of own providers, and all providers that exist after them. */
interface ProviderPlan {
  readonly steps: readonly ApplyStep[];
  /** Removals. They come after everything else. */
  readonly gone: readonly ApplyStep[];
  readonly providers: ReadonlyMap<string, Provider>;
}

/** Plans the declared own providers. Throws `missing_scope` if the caller may not make a planned change. */
export async function planProviders(
  declared: Readonly<Record<string, DeclaredProvider>> | undefined,
  caller: Caller,
  { services, prune }: Pick<ApplyContext, 'services' | 'prune'>,
): Promise<ProviderPlan> {
  const providers = new Map(services.providers);
  if (!declared) return { steps: [], gone: [], providers };
  const stored = new Map((await services.records.providers.list()).map((row) => [row.id, row]));
  const steps = Object.entries(declared).map(([id, written]) =>
    within(`providers.${id}`, () => {
      const there = stored.get(id);
      if (!there && services.providers.has(id))
        throw new TollbookError('conflict', `"${id}" is a built-in provider. Choose another id.`, '');
      const wanted = readAddedProvider({ id, ...written, name: written.name ?? id });
      providers.set(id, served(wanted, there, services.providers));
      return providerStep(wanted, there);
    }),
  );
  const unnamed = prune ? [...stored.keys()].filter((id) => !Object.hasOwn(declared, id)) : [];
  for (const id of unnamed) providers.delete(id);
  const gone = unnamed.map(removeProviderStep);
  if ([...steps, ...gone].some(({ change }) => change.action !== 'leave'))
    within('providers', () => checkAllowed(caller, { right: 'operate', scope: 'admin' }));
  return { steps, gone, providers };
}

/** Returns the provider as it will be; an unchanged one keeps what a setting replaces. */
function served(
  wanted: CustomProvider,
  there: CustomProvider | undefined,
  providers: ApplyContext['services']['providers'],
): Provider {
  const changes = there === undefined || isChange(wanted, there);
  return (changes ? undefined : providers.get(wanted.id)) ?? customProvider(wanted);
}

function isChange(wanted: CustomProvider, there: CustomProvider): boolean {
  return providerStep(wanted, there).change.action !== 'leave';
}

const DEFAULTS = { priceProvider: null, kind: null, region: null, deployments: {} };

function providerFacts({ name, url, priceProvider, kind = null, region = null, deployments = {} }: CustomProvider) {
  return { name, url, priceProvider, kind, region, deployments };
}

function providerStep(wanted: CustomProvider, there: CustomProvider | undefined): ApplyStep {
  const facts = providerFacts(wanted);
  return {
    change: there
      ? compare('provider', wanted.id, providerFacts(there), facts)
      : create('provider', wanted.id, facts, { ...DEFAULTS, name: wanted.id }),
    run: async ({ caller: { actor }, services: { records, gateway } }) => {
      if (there) await records.providers.replace(wanted, actor);
      else await records.providers.add(wanted, actor);
      await gateway.providersChanged();
    },
  };
}

function removeProviderStep(id: string): ApplyStep {
  return {
    change: remove('provider', id),
    run: async ({ caller: { actor }, services: { records, gateway } }) => {
      await records.providers.remove(id, actor);
      await gateway.providersChanged();
    },
  };
}
