import type { UseMutationResult } from '@tanstack/react-query';
import type { KeyPolicyShape, PolicyShape } from '../../../../src/contract/limits.ts';
import { useChange } from '../../shared/api/use-change.ts';
import type { PolicyDraft } from './read-rules.ts';
import { policyPath } from './use-policy.ts';

interface RulesChange extends PolicyDraft {
  /** As they were read: when they are others by now, nothing is changed. */
  readonly seen: PolicyShape;
}

/** Sets all rules of a key at once. */
export function useSetPolicy(keyId: string): UseMutationResult<KeyPolicyShape, Error, RulesChange> {
  return useChange<RulesChange, KeyPolicyShape>(
    (rules) => ({ method: 'PUT', path: policyPath(keyId), body: rules }),
    ['/api/manage/policies'],
  );
}
