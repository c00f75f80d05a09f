import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ProviderShape } from '../../../../src/contract/providers.ts';
import { useRead } from '../api/use-api.ts';

/** Returns the names of all wrapped keys by ID, including revoked ones, because calls outlive their keys. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data } = useRead('GET /api/manage/keys');
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
}

export function useProviders(): UseQueryResult<readonly ProviderShape[]> {
  return useRead('GET /api/manage/providers');
}
