import type { UseMutationResult } from '@tanstack/react-query';
import type { LimitShape } from '../../../../src/contract/limits.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { limitPath } from './use-limit.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';

interface RaiseRequest {
  /** As it was typed, in the unit of the limit. */
  readonly amount: string;
  /** A duration from now on, such as `4h`. */
  readonly for: string;
  /** As it was read: when it is another by now, nothing is changed. */
  readonly seen: Pick<LimitShape, 'unit' | 'amount' | 'raise'>;
}

export function useRaiseLimit(limitId: string): UseMutationResult<LimitShape, Error, RaiseRequest> {
  return useChange<RaiseRequest, LimitShape>((body) => ({ path: `${limitPath(limitId)}/raise`, body }), [LIMITS_PATH]);
}
