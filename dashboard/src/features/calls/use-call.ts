import type { UseQueryResult } from '@tanstack/react-query';
import type { EntryDetail } from '../../../../src/contract/usage.ts';
import { useRead } from '../../shared/api/use-read.ts';

/** One call with everything that is known of it. */
export function useCall(callId: string): UseQueryResult<EntryDetail> {
  return useRead<EntryDetail>(`/api/mcp/entries/${encodeURIComponent(callId)}`);
}
