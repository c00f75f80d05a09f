import { NO_CONTEXT } from '../../src/domain/usage/call-context.ts';
import type { RefusedCall } from '../../src/domain/usage/refused-call.ts';
import { FIRST_DAY } from './arbitrary-entry.ts';
import { WORKSPACE } from './filled-store.ts';

/** Returns a call that a limit refused. */
export function refusedCall(callId: string, changes: Partial<RefusedCall> = {}): RefusedCall {
  return {
    at: FIRST_DAY,
    callId,
    isSum: false,
    calls: 1,
    workspaceId: WORKSPACE,
    keyId: 'key_a',
    provider: 'anthropic',
    model: 'claude-opus-4-5',
    limitId: 'lim_1',
    value: null,
    unit: 'usd',
    reason: 'exceeds_limit',
    needed: 1_780_000_000,
    left: 400_000_000,
    tags: {},
    sessionHash: null,
    context: NO_CONTEXT,
    ...changes,
  };
}
