import type { UseMutationResult } from '@tanstack/react-query';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { keyPath } from './use-key.ts';

export function useRevokeKey(keyId: string): UseMutationResult<WrappedKeyShape, Error, void> {
  return useChange<void, WrappedKeyShape>(
    () => ({ method: 'DELETE', path: keyPath(keyId) }),
    ['/api/manage/keys', '/api/manage/policies', '/api/manage/limits'],
  );
}
