import type { UseQueryResult } from '@tanstack/react-query';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { useRead } from '../../shared/api/use-read.ts';
import { ALERTS_PATH } from './use-alerts.ts';

export function useAlert(alertId: string): UseQueryResult<AlertShape> {
  return useRead<AlertShape>(`${ALERTS_PATH}/${encodeURIComponent(alertId)}`, { changedBy: ['alert'] });
}
