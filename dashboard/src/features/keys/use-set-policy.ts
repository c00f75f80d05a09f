import type { UseMutationResult } from '@tanstack/react-query';
import type { KeyPolicyShape } from '../../../../src/api/contract-limits.ts';
import { useChange } from '../../shared/api/use-change.ts';
import type { WrittenRules } from './read-rules.ts';
import { policyPath } from './use-policy.ts';

/** Sets all rules of a key at once. */
export function useSetPolicy(keyId: string): UseMutationResult<KeyPolicyShape, Error, WrittenRules> {
  return useChange<WrittenRules, KeyPolicyShape>(
    (rules) => ({ method: 'PUT', path: policyPath(keyId), body: rules }),
    ['/api/manage/policies'],
  );
}
