import type { UseQueryResult } from '@tanstack/react-query';
import type { KeyClients } from '../../../../src/contract/keys.ts';
import { useRead } from '../../shared/api/use-read.ts';
import { keyPath } from './use-key.ts';

/** Lines for every client of a key's provider, with a placeholder where the key belongs. */
export function useClientLines(keyId: string): UseQueryResult<KeyClients> {
  return useRead<KeyClients>(`${keyPath(keyId)}/clients`);
}
