import type { UseMutationResult } from '@tanstack/react-query';
import type { WrappedKeyShape } from '../../../../src/api/contract.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { keyPath } from './use-key.ts';

/** @param key as it was shown: when it is another by now, it stays */
export function useRevokeKey({
  id,
  name,
  tags,
  expiresAt,
}: WrappedKeyShape): UseMutationResult<WrappedKeyShape, Error, void> {
  return useChange<void, WrappedKeyShape>(
    () => ({ method: 'DELETE', path: keyPath(id), body: { seen: { name, tags, expiresAt } } }),
    ['/api/manage/keys', '/api/manage/policies', '/api/manage/limits'],
  );
}
