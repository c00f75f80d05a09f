import type { ResolveCard } from '../pricing/pricing.ts';
import type { CallBegin, CallEnd } from './call.ts';
import { settleCall } from './settle.ts';
import type { Usage } from './usage.ts';

const NOTHING_SEEN = {
  status: 0,
  stopped: 'crash',
  complete: false,
  errored: false,
  outputBytes: 0,
  bodyBytes: 0,
  model: null,
  requestId: null,
  responseId: null,
  firstByteMs: null,
} as const;

/**
 * Ends a call that a dead process left open. The provider may have charged for it.
 * @param early usage that was seen before; null = none
 */
export function endLostCall(
  begin: CallBegin,
  early: Usage | null,
  endedAt: number,
  { contracted, list }: { readonly contracted: ResolveCard; readonly list: ResolveCard },
): CallEnd {
  return settleCall(begin, { ...NOTHING_SEEN, endedAt, usage: early }, contracted, list);
}
