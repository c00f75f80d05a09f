import type { UseQueryResult } from '@tanstack/react-query';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { useRead } from '../../shared/api/use-read.ts';

/** All wrapped keys, newest first, revoked ones too. */
export function useKeys(): UseQueryResult<readonly WrappedKeyShape[]> {
  return useRead<readonly WrappedKeyShape[]>('/api/manage/keys');
}
