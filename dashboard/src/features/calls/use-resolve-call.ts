import type { UseMutationResult } from '@tanstack/react-query';
import type { EntryShape } from '../../../../src/contract/usage.ts';
import { useChange } from '../../shared/api/use-change.ts';

/** Says what a call of uncertain cost has cost, in dollars as they were typed. */
export function useResolveCall(callId: string): UseMutationResult<EntryShape, Error, string> {
  return useChange<string, EntryShape>(
    (costUsd) => ({ path: `/api/manage/entries/${encodeURIComponent(callId)}/resolve`, body: { costUsd } }),
    ['/api/mcp/entries', '/api/mcp/usage', '/api/manage/limits'],
  );
}
