import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { useRead } from '../../shared/api/use-read.ts';

/** Wrapped keys that are not revoked, newest first. */
export function useLiveKeys(): readonly WrappedKeyShape[] {
  const { data } = useRead<readonly WrappedKeyShape[]>('/api/manage/keys');
  return data?.filter(({ revokedAt }) => revokedAt === null) ?? [];
}
