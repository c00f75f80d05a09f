import type { UseQueryResult } from '@tanstack/react-query';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { useRead } from '../../shared/api/use-read.ts';

const ALERTS_SHOWN = 4;

export function useNewestAlerts(): UseQueryResult<readonly AlertShape[]> {
  return useRead<readonly AlertShape[]>('/api/mcp/alerts', { query: { limit: ALERTS_SHOWN }, changedBy: ['alert'] });
}
