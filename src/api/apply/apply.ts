import type { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';
import type { applyRequest } from '../../contract/apply.ts';
import { type ApplyDeclaration } from '../../contract/apply.ts';
import { endpoint } from '../http/endpoint.ts';
import { checkProviderKey, NO_PROVIDER_KEY } from '../keys.ts';
import { planKeys, pruneKeys } from './keys.ts';
import { planLimits } from './limits.ts';
import { planPolicies } from './policies.ts';
import { planPrices } from './prices.ts';
import { planProviders } from './providers.ts';
import type { ApplyContext, StepRun, ApplyStep, ApplyServices } from './apply-step.ts';
import { planWebhooks } from './webhooks.ts';

export const apply = endpoint('POST /api/manage/apply', async ({ caller, body }, services: ApplyServices) => {
  const { dryRun, prune, force, environment, ...declared } = body;
  const { providers, ...own } = await planProviders(declared.providers, caller, { services, prune });
  const ground = await survey(caller.workspaceId, { prune, services, providers });
  const steps = [...own.steps, ...(await plan(declared, ground)), ...own.gone];
  const changes = steps.map(({ change }) => change);
  const needs = steps.flatMap((step) => step.needs ?? []);
  if (dryRun) return { dryRun, changes, missingVariables: needs, created: [], warnings: [], failure: null };
  const warnings = await checkNeeds(steps, { environment, force }, services);
  const keyIds = new Map([...ground.keys.values()].map(({ name, id }) => [name, id]));
  const run: StepRun = { caller, services, environment, keyIds, created: [] };
  const failure = await carryOut(steps, run);
  return { dryRun, changes, missingVariables: needs, created: run.created, warnings, failure };
});

async function survey(
  workspaceId: string,
  known: Pick<ApplyContext, 'prune' | 'services' | 'providers'>,
): Promise<ApplyContext> {
  const { services } = known;
  const keys = (await services.records.keys.list(workspaceId)).filter(({ revokedAt }) => revokedAt === null);
  const byName = new Map(keys.map((key) => [key.name, key]));
  return { workspaceId, ...known, keys: byName, now: services.clock() };
}

/** Plans all changes in the order in which they can be applied: prices first, revocations last. */
async function plan(
  { prices, keys, policies, limits, webhooks }: ApplyDeclaration,
  ground: ApplyContext,
): Promise<ApplyStep[]> {
  const { records } = ground.services;
  const gone = keys ? pruneKeys(keys, ground) : [];
  const names = new Set([...ground.keys.keys(), ...Object.keys(keys ?? {})]);
  for (const { change } of gone) names.delete(change.name);
  return [
    ...(prices ? planPrices(prices, await records.prices.list(ground.workspaceId), ground) : []),
    ...(keys ? planKeys(keys, ground) : []),
    ...(policies ? planPolicies(policies, names, ground) : []),
    ...(limits ? planLimits(limits, await records.limits.list(ground.workspaceId), names, ground) : []),
    ...(webhooks ? await planWebhooks(webhooks, await records.webhooks.list(ground.workspaceId), ground) : []),
    ...gone,
  ];
}

/**
 * Checks that all variables are given and no provider refuses its key. Returns warnings about providers that can't be
 * reached.
 */
async function checkNeeds(
  steps: readonly ApplyStep[],
  { environment, force }: Pick<z.output<typeof applyRequest>, 'environment' | 'force'>,
  services: ApplyServices,
): Promise<string[]> {
  const warnings = new Set<string>();
  for (const { needs, checkValue, tests } of steps) {
    const value = needs && readNeeded(needs, environment);
    try {
      if (value !== undefined) checkValue?.(value);
      if (!tests?.provider) continue;
      const key = value?.trim() ?? NO_PROVIDER_KEY;
      for (const warning of await checkProviderKey(tests.provider, key, force, services)) warnings.add(warning);
    } catch (error) {
      throw error instanceof TollbookError
        ? new TollbookError(error.type, error.message, (needs ?? tests)?.field)
        : error;
    }
  }
  return [...warnings];
}

function readNeeded({ variable, field }: NonNullable<ApplyStep['needs']>, environment: StepRun['environment']): string {
  const value = environment[variable];
  if (value?.trim()) return value;
  throw new TollbookError('invalid', `The environment variable ${variable} is not set. Set it and try again.`, field);
}

/**
 * Applies the steps. Stops at the first failure and reports it, because the secrets of keys created before it must
 * still be shown.
 */
async function carryOut(steps: readonly ApplyStep[], run: StepRun): Promise<string | null> {
  for (const { change, run: work } of steps) {
    if (change.action === 'leave' || !work) continue;
    try {
      await work(run);
    } catch (error) {
      const sentence =
        error instanceof TollbookError ? error.message : 'Something went wrong. See the log for details.';
      if (!(error instanceof TollbookError))
        run.services.log.error({ err: error }, 'apply stopped after a part of its changes');
      return `Stopped at ${change.kind} ${change.name}: ${sentence}`;
    }
  }
  return null;
}
