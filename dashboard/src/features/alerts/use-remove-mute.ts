import type { UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../shared/api/use-change.ts';
import { MUTES_PATH } from './use-mutes.ts';

export function useRemoveMute(): UseMutationResult<unknown, Error, string> {
  return useChange<string>(
    (id) => ({ method: 'DELETE', path: `${MUTES_PATH}/${encodeURIComponent(id)}` }),
    [MUTES_PATH],
  );
}
