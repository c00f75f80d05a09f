import { useMemo } from 'react';
import type { EntriesPage } from '../../../../src/api/contract.ts';
import { useRead } from '../api/use-read.ts';

const NEWEST = 100;

/** Keys of the tags that the newest calls carry. */
export function useTagKeys(): readonly string[] {
  const { data } = useRead<EntriesPage>('/api/mcp/entries', { query: { limit: NEWEST } });
  return useMemo(() => [...new Set(data?.entries.flatMap(({ tags }) => Object.keys(tags)))].toSorted(), [data]);
}
