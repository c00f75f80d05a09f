import type { UseMutationResult } from '@tanstack/react-query';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { keyPath } from './use-key.ts';

type KeyFields = Pick<WrappedKeyShape, 'name' | 'tags' | 'expiresAt'>;

interface KeyChange extends Partial<KeyFields> {
  /** As it was read: when it is another by now, nothing is changed. */
  readonly seen: KeyFields;
}

export function useEditKey(keyId: string): UseMutationResult<WrappedKeyShape, Error, KeyChange> {
  return useChange<KeyChange, WrappedKeyShape>(
    (change) => ({ method: 'PATCH', path: keyPath(keyId), body: change }),
    ['/api/manage/keys', '/api/manage/policies'],
  );
}
