import type { UseQueryResult } from '@tanstack/react-query';
import type { MuteShape } from '../../../../src/contract/anomalies.ts';
import { useRead } from '../../shared/api/use-read.ts';

export const MUTES_PATH = '/api/manage/mutes';

/** What nobody is told of. */
export function useMutes(): UseQueryResult<readonly MuteShape[]> {
  return useRead<readonly MuteShape[]>(MUTES_PATH);
}
