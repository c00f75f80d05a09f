import type { UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../shared/api/use-change.ts';
import { webhookPath } from './use-webhook.ts';

interface ReplayRequest {
  /** ISO 8601, the end exclusive. */
  readonly startDate: string;
  readonly endDate: string;
  /** What was delivered, too. */
  readonly all: boolean;
}

interface ReplayResult {
  /** How many are queued again. */
  readonly deliveries: number;
}

export function useReplayPeriod(webhookId: string): UseMutationResult<ReplayResult, Error, ReplayRequest> {
  const path = webhookPath(webhookId);
  return useChange<ReplayRequest, ReplayResult>((body) => ({ path: `${path}/replay`, body }), [path]);
}
