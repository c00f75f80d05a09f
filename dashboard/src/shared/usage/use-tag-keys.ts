import type { UsageValues } from '../../../../src/contract/values.ts';
import { useRead } from '../api/use-read.ts';

/** Keys of the tags that calls of the last 30 days carry. */
export function useTagKeys(): readonly string[] {
  const { data } = useRead<UsageValues>('/api/mcp/usage/values');
  return data?.tagKeys ?? [];
}
