import type { UseQueryResult } from '@tanstack/react-query';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { useRead } from '../../shared/api/use-read.ts';
import type { AlertsAddress } from './alerts-address.ts';

export const ALERTS_PATH = '/api/mcp/alerts';
export const PAGE_SIZE = 30;

/** One page of alerts, newest first. */
export function useAlerts({
  unreadOnly,
  type,
  severity,
  before,
}: AlertsAddress): UseQueryResult<readonly AlertShape[]> {
  return useRead<readonly AlertShape[]>(ALERTS_PATH, {
    query: { limit: PAGE_SIZE, ...(unreadOnly && { unreadOnly }), type, severity, before },
    changedBy: ['alert'],
  });
}
