import type { EntriesPage, EntryShape } from '../../../../src/api/contract.ts';
import { useRead } from '../../shared/api/use-read.ts';

/** Where no live event comes through, a call is still seen this soon. */
const EVERY_MS = 5_000;

/** The newest call of a key; null = there is none, undefined = not read yet. */
export function useLastCall(keyId: string): EntryShape | null | undefined {
  const { data } = useRead<EntriesPage>('/api/mcp/entries', {
    query: { keyId, limit: 1 },
    changedBy: ['booked'],
    everyMs: EVERY_MS,
  });
  return data && (data.entries[0] ?? null);
}
