import { isDeepStrictEqual } from 'node:util';
import { renderPolicy } from '../../domain/policy/parse-policy.ts';
import { OPEN_POLICY, type Policy } from '../../domain/policy/policy.ts';
import type { WrappedKey } from '../../storage/records/records.ts';
import type { KeyPolicyShape, PolicyShape } from '../../contract/limits.ts';

export function keyPolicyView({ id, name, policy }: WrappedKey): KeyPolicyShape {
  return { keyId: id, keyName: name, policy: policyView(policy) };
}

export function policyView(policy: Policy): PolicyShape {
  const written = renderPolicy(policy);
  return {
    ...written,
    allowModels: written.allowModels && [...written.allowModels],
    denyModels: [...written.denyModels],
    requireTags: Object.fromEntries(
      Object.entries(written.requireTags).map(([key, values]) => [key, values && [...values]]),
    ),
    addresses: written.addresses && [...written.addresses],
    activeHours: written.activeHours && { ...written.activeHours, days: [...written.activeHours.days] },
  };
}

/** It forbids and changes nothing. */
export function isOpenPolicy(policy: Policy): boolean {
  return isDeepStrictEqual(policy, OPEN_POLICY);
}
