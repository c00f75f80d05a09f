import type { UseQueryResult } from '@tanstack/react-query';
import type { WrappedKeyDetail } from '../../../../src/contract/keys.ts';
import { useRead } from '../../shared/api/use-read.ts';

/** Where no live event comes through, a call is still seen this soon. */
const KEY_POLL_MS = 5_000;

/** One wrapped key, and when it was first and last used. */
export function useKey(keyId: string): UseQueryResult<WrappedKeyDetail> {
  return useRead<WrappedKeyDetail>(keyPath(keyId), { changedBy: ['booked'], everyMs: KEY_POLL_MS });
}

export function keyPath(keyId: string): string {
  return `/api/manage/keys/${encodeURIComponent(keyId)}`;
}
