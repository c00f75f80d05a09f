import type { UseQueryResult } from '@tanstack/react-query';
import type { WrappedKeyShape } from '../../../../src/api/contract.ts';
import { useRead } from '../../shared/api/use-read.ts';

export function useKey(keyId: string): UseQueryResult<WrappedKeyShape> {
  return useRead<WrappedKeyShape>(keyPath(keyId));
}

export function keyPath(keyId: string): string {
  return `/api/manage/keys/${encodeURIComponent(keyId)}`;
}
