import type { EntriesPage, EntryShape } from '../../../../src/contract/usage.ts';
import { useRead } from '../../shared/api/use-read.ts';
import { useKey } from './use-key.ts';

/**
 * The newest call of a key; null = none is known yet. The key says when it was used, so that the list of entries is
 * asked for no more than that time.
 */
export function useLastCall(keyId: string): EntryShape | null {
  const { data: key } = useKey(keyId);
  const startDate = key?.lastCallAt ?? undefined;
  const { data } = useRead<EntriesPage>('/api/mcp/entries', {
    query: { keyId, startDate, limit: 1 },
    enabled: startDate !== undefined,
  });
  return (startDate !== undefined && data?.entries[0]) || null;
}
