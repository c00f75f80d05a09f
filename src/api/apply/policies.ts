import { TollbookError } from '../../domain/errors.ts';
import { parsePolicy } from '../../domain/policy/parse-policy.ts';
import { OPEN_POLICY, type Policy } from '../../domain/policy/policy.ts';
import { isOpenPolicy, policyView } from '../policies.ts';
import { compare, type ApplyContext, recordId, remove, type StepRun, type ApplyStep, within } from './apply-step.ts';

/** Plans the declared policies. `names`: all wrapped keys after the run. */
export function planPolicies(
  declared: Readonly<Record<string, unknown>>,
  names: ReadonlySet<string>,
  { keys, prune }: ApplyContext,
): ApplyStep[] {
  const wanted = Object.entries(declared).map(([name, written]) =>
    within(`policies.${name}`, () => {
      const before = keys.get(name)?.policy ?? OPEN_POLICY;
      if (names.has(name)) return policyStep(name, parsePolicy(written, before), before);
      throw new TollbookError('invalid', `No wrapped key "${name}". Name one from the file or an existing one.`);
    }),
  );
  if (!prune) return wanted;
  const unnamed = [...keys.values()].filter(
    ({ name, policy }) => names.has(name) && !Object.hasOwn(declared, name) && !isOpenPolicy(policy),
  );
  return [
    ...wanted,
    ...unnamed.map(({ name }) => ({ change: remove('policy', name), run: setter(name, OPEN_POLICY) })),
  ];
}

function policyStep(name: string, policy: Policy, before: Policy): ApplyStep {
  const change = compare('policy', name, policyView(before), policyView(policy));
  const isNew = isOpenPolicy(before) && change.action === 'change';
  return { change: isNew ? { ...change, action: 'create' } : change, run: setter(name, policy) };
}

function setter(name: string, policy: Policy) {
  return async ({ caller, services, keyIds }: StepRun): Promise<void> => {
    const id = recordId(keyIds, name);
    await services.records.keys.setPolicy(caller.workspaceId, id, policy, caller.actor);
    await services.gateway.keyChanged(id);
  };
}
