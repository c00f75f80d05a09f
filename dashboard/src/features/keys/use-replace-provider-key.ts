import type { UseMutationResult } from '@tanstack/react-query';
import type { ReplacedKey } from '../../../../src/contract/usage.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { keyPath } from './use-key.ts';

interface Replacement {
  readonly providerKey: string;
  readonly force: boolean;
}

export function useReplaceProviderKey(keyId: string): UseMutationResult<ReplacedKey, Error, Replacement> {
  return useChange<Replacement, ReplacedKey>(
    (body) => ({ path: `${keyPath(keyId)}/provider-key`, body }),
    ['/api/manage/keys'],
  );
}
