import type { UseQueryResult } from '@tanstack/react-query';
import type { ProviderShape } from '../../../../src/contract/usage.ts';
import { useRead } from '../api/use-read.ts';

export function useProviders(): UseQueryResult<readonly ProviderShape[]> {
  return useRead<readonly ProviderShape[]>('/api/manage/providers');
}
