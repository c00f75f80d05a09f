import type { UseMutationResult } from '@tanstack/react-query';
import type { ReplacedKey } from '../../../../src/contract/usage.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { keyPath } from './use-key.ts';

interface ProviderKeyReplacement {
  readonly providerKey: string;
  readonly force: boolean;
}

export function useReplaceProviderKey(keyId: string): UseMutationResult<ReplacedKey, Error, ProviderKeyReplacement> {
  return useChange<ProviderKeyReplacement, ReplacedKey>(
    (body) => ({ path: `${keyPath(keyId)}/provider-key`, body }),
    ['/api/manage/keys'],
  );
}
