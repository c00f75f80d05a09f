import type { UseQueryResult } from '@tanstack/react-query';
import type { RefusedCallsShape } from '../../../../src/contract/limits.ts';
import { useRead } from '../../shared/api/use-read.ts';
import { limitPath } from './use-limit.ts';

/** What is refused is no event of its own. */
const REFUSALS_POLL_MS = 5_000;

/** Whom a limit refused lately, the newest first. */
export function useRefusals(limitId: string): UseQueryResult<RefusedCallsShape> {
  return useRead<RefusedCallsShape>(`${limitPath(limitId)}/refusals`, { everyMs: REFUSALS_POLL_MS });
}
