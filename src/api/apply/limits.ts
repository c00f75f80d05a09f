import type { z } from 'zod';
import { chooseScope } from '../../domain/limits/choose-scope.ts';
import { TollbookError } from '../../domain/errors.ts';
import {
  DEFAULT_THRESHOLDS,
  formatUncertain,
  limitIdentity,
  scopeText,
  shownAmount,
} from '../../domain/limits/limit-fields.ts';
import type { Limit, LimitScope } from '../../domain/limits/limit.ts';
import { checkLimit } from '../../storage/records/check-limit.ts';
import type { NewLimit } from '../../storage/records/records.ts';
import type { DeclaredLimit } from '../../contract/apply.ts';
import { type limitInput, readLimitKind, readNewLimit } from '../manage/limit-input.ts';
import { compare, create, type Ground, idOf, remove, type Run, type Step, within } from './step.ts';

/** In a plan, a wrapped key is known by its name: it may not be there yet. `names` are those that there will be. */
export function planLimits(
  declared: readonly DeclaredLimit[],
  existing: readonly Limit[],
  names: ReadonlySet<string>,
  ground: Ground,
): Step[] {
  const keyNames = new Map([...ground.keys.values()].map(({ id, name }) => [id, name]));
  const there = new Map(existing.map((limit) => byName(limit, keyNames)).map((limit) => [limitIdentity(limit), limit]));
  const wanted = new Map<string, number>();
  const steps = declared.map((written, index) =>
    within(`limits.${index}`, () => {
      const input = limitOf(written, names);
      const kind = readLimitKind(input, ground.workspaceId);
      const identity = limitIdentity(kind);
      const stored = there.get(identity);
      const limit = checkLimit(readNewLimit(input, kind, ground.services, stored), stored);
      const twin = wanted.get(identity);
      if (twin !== undefined)
        throw new TollbookError('invalid', `The limit limits.${twin} counts the same: keep one of them.`);
      wanted.set(identity, index);
      return limitStep(limit, stored);
    }),
  );
  if (!ground.prune) return steps;
  const unnamed = [...there].filter(([identity]) => !wanted.has(identity));
  return [...steps, ...unnamed.map(([, limit]) => removeStep(limit))];
}

function byName(limit: Limit, keyNames: ReadonlyMap<string, string>): Limit {
  if (limit.scope.kind !== 'key') return limit;
  const { keyId } = limit.scope;
  return { ...limit, scope: { kind: 'key', keyId: keyNames.get(keyId) ?? keyId } };
}

function limitOf(written: DeclaredLimit, names: ReadonlySet<string>): z.output<typeof limitInput> {
  const { key, provider, model, tag, eachTag, ...fields } = written;
  const scope = chooseScope({ key, provider, model, tag, eachTag });
  if (key !== undefined && !names.has(key))
    throw new TollbookError(
      'invalid',
      `There is no wrapped key "${key}": name one of the file or one that is there.`,
      'key',
    );
  return { ...fields, scope };
}

function nameOf({ unit, window, action, scope }: NewLimit): string {
  const per = window === 'total' ? '' : ` per ${window}`;
  return `${unit}${per}, ${scopeText(scope)}${action === 'warn' ? ' (warns)' : ''}`;
}

const DEFAULTS = { thresholds: DEFAULT_THRESHOLDS, uncertainRule: 'keep', label: null };

type Changeable = Pick<Limit, 'unit' | 'amount' | 'thresholds' | 'uncertain' | 'label'>;

function facts({ unit, amount, thresholds, uncertain, label }: Changeable): Record<string, unknown> {
  return { amount: shownAmount(unit, amount), thresholds, uncertainRule: formatUncertain(uncertain), label };
}

function limitStep(limit: NewLimit, there: Limit | undefined): Step {
  const name = nameOf(limit);
  const { amount, thresholds, uncertain, label } = limit;
  if (!there) return { change: create('limit', name, facts(limit), DEFAULTS), run: (run) => make(limit, run) };
  return {
    change: compare('limit', name, facts(there), facts(limit)),
    run: async ({ caller: { workspaceId, actor }, services: { records, gate } }) => {
      const change = { amount, thresholds, uncertain, label };
      gate.limitChanged(await records.limits.update(workspaceId, there.id, change, actor));
    },
  };
}

async function make(limit: NewLimit, { caller, services, keyIds }: Run): Promise<void> {
  const scope: LimitScope =
    limit.scope.kind === 'key' ? { kind: 'key', keyId: idOf(keyIds, limit.scope.keyId) } : limit.scope;
  services.gate.limitChanged(await services.records.limits.create({ ...limit, scope }, caller.actor));
}

function removeStep(limit: Limit): Step {
  return {
    change: remove('limit', nameOf(limit)),
    run: async ({ caller, services }) => {
      await services.records.limits.remove(caller.workspaceId, limit.id, caller.actor);
      services.gate.limitRemoved(limit);
    },
  };
}
