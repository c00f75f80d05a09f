import type { z } from 'zod';
import {
  chooseScope,
  DEFAULT_THRESHOLDS,
  formatUncertain,
  limitIdentity,
  shownAmount,
} from '../../domain/limits/limit-fields.ts';
import { TollbookError } from '../../domain/errors.ts';
import { type Limit, withKeyId } from '../../domain/limits/limit.ts';
import { checkLimit, type NewLimit } from '../../storage/records/check-limit.ts';
import type { DeclaredLimit } from '../../contract/apply.ts';
import type { limitInput } from '../../contract/routes/limits.ts';
import { readLimitKind, readNewLimit } from '../limits.ts';
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
import { describeScope } from '../../domain/text/limits.ts';

/**
 * Plans the declared limits. A plan refers to wrapped keys by name, because they may not exist yet. `names`: all keys
 * after the run.
 */
export function planLimits(
  declared: readonly DeclaredLimit[],
  existing: readonly Limit[],
  names: ReadonlySet<string>,
  ground: ApplyContext,
): ApplyStep[] {
  const keyNames = new Map([...ground.keys.values()].map(({ id, name }) => [id, name]));
  const there = new Map(existing.map((limit) => byName(limit, keyNames)).map((limit) => [limitIdentity(limit), limit]));
  const wanted = new Map<string, number>();
  const steps = declared.map((written, index) =>
    within(`limits.${index}`, () => {
      const input = readDeclaredLimit(written, names);
      const kind = readLimitKind(input, ground.workspaceId);
      const identity = limitIdentity(kind);
      const stored = there.get(identity);
      const limit = checkLimit(readNewLimit(input, kind, ground, stored), stored);
      const twin = wanted.get(identity);
      if (twin !== undefined)
        throw new TollbookError('invalid', `limits.${twin} declares the same limit. Keep one of them.`);
      wanted.set(identity, index);
      return limitStep(limit, stored);
    }),
  );
  if (!ground.prune) return steps;
  const unnamed = [...there].filter(([identity]) => !wanted.has(identity));
  return [...steps, ...unnamed.map(([, limit]) => removeLimitStep(limit))];
}

function byName(limit: Limit, keyNames: ReadonlyMap<string, string>): Limit {
  return { ...limit, scope: withKeyId(limit.scope, (keyId) => keyNames.get(keyId) ?? keyId) };
}

function readDeclaredLimit(written: DeclaredLimit, names: ReadonlySet<string>): z.output<typeof limitInput> {
  const { key, provider, model, tag, eachTag, each, ...fields } = written;
  const scope = chooseScope({ key, provider, model, tag, eachTag, each });
  if (key !== undefined && !names.has(key))
    throw new TollbookError('invalid', `No wrapped key "${key}". Name one from the file or an existing one.`, 'key');
  return { ...fields, scope };
}

function limitSubject({ unit, window, action, scope }: NewLimit): string {
  const per = window === 'total' ? '' : ` per ${window}`;
  return `${unit}${per}, ${describeScope(scope)}${action === 'warn' ? ' (warns)' : ''}`;
}

const DEFAULTS = { thresholds: DEFAULT_THRESHOLDS, uncertainRule: 'keep', label: null, countsObserved: false };

type ChangeableLimit = Pick<Limit, 'unit' | 'amount' | 'thresholds' | 'uncertain' | 'label' | 'countsObserved'>;

function limitFacts({ unit, amount, uncertain, ...limit }: ChangeableLimit): Record<string, unknown> {
  const { thresholds, label, countsObserved } = limit;
  const uncertainRule = formatUncertain(uncertain);
  return { amount: shownAmount(unit, amount), thresholds, uncertainRule, label, countsObserved };
}

function limitStep(limit: NewLimit, there: Limit | undefined): ApplyStep {
  const name = limitSubject(limit);
  const { amount, thresholds, uncertain, label, countsObserved } = limit;
  if (!there)
    return { change: create('limit', name, limitFacts(limit), DEFAULTS), run: (run) => applyLimitChange(limit, run) };
  return {
    change: compare('limit', name, limitFacts(there), limitFacts(limit)),
    run: async ({ caller: { workspaceId, actor }, services: { records, gateway } }) => {
      const change = { amount, thresholds, uncertain, label, countsObserved };
      gateway.limitChanged(await records.limits.update(workspaceId, there.id, change, actor));
    },
  };
}

async function applyLimitChange(limit: NewLimit, { caller, services, keyIds }: StepRun): Promise<void> {
  const scope = withKeyId(limit.scope, (name) => recordId(keyIds, name));
  services.gateway.limitChanged(await services.records.limits.create({ ...limit, scope }, caller.actor));
}

function removeLimitStep(limit: Limit): ApplyStep {
  return {
    change: remove('limit', limitSubject(limit)),
    run: async ({ caller, services }) => {
      await services.records.limits.remove(caller.workspaceId, limit.id, caller.actor);
      services.gateway.limitRemoved(limit);
    },
  };
}
