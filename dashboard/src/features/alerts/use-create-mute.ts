import type { UseMutationResult } from '@tanstack/react-query';
import type { MuteShape } from '../../../../src/contract/anomalies.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { MUTES_PATH } from './use-mutes.ts';

const DAY_MS = 86_400_000;

interface NewMute extends Pick<MuteShape, 'type' | 'scope' | 'reason'> {
  /** From now on; null = for good. */
  readonly days: number | null;
}

export function useCreateMute(): UseMutationResult<MuteShape, Error, NewMute> {
  return useChange<NewMute, MuteShape>(
    ({ days, ...mute }) => ({
      path: MUTES_PATH,
      body: { ...mute, until: days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString() },
    }),
    [MUTES_PATH],
  );
}
