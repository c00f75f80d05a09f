import type { UseQueryResult } from '@tanstack/react-query';
import type { WrappedKeyDetail } from '../../../../src/api/contract-keys.ts';
import { useRead } from '../../shared/api/use-read.ts';

/** One wrapped key, and when it was first and last used. */
export function useKey(keyId: string): UseQueryResult<WrappedKeyDetail> {
  return useRead<WrappedKeyDetail>(keyPath(keyId), { changedBy: ['booked'] });
}

export function keyPath(keyId: string): string {
  return `/api/manage/keys/${encodeURIComponent(keyId)}`;
}
