import type { UseQueryResult } from '@tanstack/react-query';
import type { KeyPolicyShape } from '../../../../src/contract/limits.ts';
import { useRead } from '../../shared/api/use-read.ts';

export function usePolicy(keyId: string): UseQueryResult<KeyPolicyShape> {
  return useRead<KeyPolicyShape>(policyPath(keyId));
}

export function policyPath(keyId: string): string {
  return `/api/manage/policies/${encodeURIComponent(keyId)}`;
}
