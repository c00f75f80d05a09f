import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import type { CallBegin, CallEnd } from '../../domain/usage/call.ts';
import type { RefusedCall } from '../../domain/usage/refused-call.ts';
import { NO_TERMS } from '../../domain/usage/usage.ts';
import type { Usage } from '../../domain/usage/usage.ts';

export const sampleUsage: Usage = {
  inferences: [{ model: null, tokens: { input: 1_000, cacheRead: 200, output: 300 }, promptTokens: 1_200 }],
  uses: { webSearch: 1 },
  thinking: 40,
  terms: { ...NO_TERMS, tier: 'standard' },
};

export function sampleBegin(callId: string, changes: Partial<CallBegin> = {}): CallBegin {
  return {
    callId,
    workspaceId: 'ws_1',
    keyId: 'key_1',
    provider: 'anthropic',
    operation: 'messages',
    requestedModel: 'claude-sonnet-4-5',
    stream: true,
    tags: { project: 'alpha\t"quoted"\n', team: 'ünï' },
    sessionHash: null,
    context: NO_CONTEXT,
    shortenedTo: null,
    startedAt: 1_700_000_000_000,
    hold: { usd: 5_000_000, inputTokens: 1_500, outputTokens: 4_096 },
    touched: [],
    ...changes,
  };
}

export function sampleEnd(callId: string, changes: Partial<CallEnd> = {}): CallEnd {
  return {
    callId,
    endedAt: 1_700_000_001_000,
    outcome: 'completed',
    uncertainReason: null,
    status: 200,
    usageSource: 'reported',
    usage: sampleUsage,
    model: 'claude-sonnet-4-5',
    cost: 7_512_345,
    counted: { usd: 7_512_345, inputTokens: 1_200, outputTokens: 300 },
    provenance: { from: 'price', versions: ['price_1'] },
    requestId: 'req_1',
    responseId: 'msg_1',
    firstByteMs: 412,
    ...changes,
  };
}

/** Builds the end of a call that a dead process left open, with its early usage if any. */
export function sampleLost(begin: CallBegin, early: Usage | null): CallEnd {
  return sampleEnd(begin.callId, {
    outcome: 'lost',
    uncertainReason: 'crash',
    status: 0,
    usageSource: 'none',
    usage: early,
    cost: null,
    counted: begin.hold,
    provenance: null,
    requestId: null,
    responseId: null,
    firstByteMs: null,
  });
}

export function sampleRefused(callId: string, changes: Partial<RefusedCall> = {}): RefusedCall {
  return {
    at: 1_700_000_000_500,
    callId,
    isSum: false,
    calls: 1,
    workspaceId: 'ws_1',
    keyId: 'key_1',
    provider: 'anthropic',
    model: 'claude-opus-4-5',
    limitId: 'lim_1',
    value: null,
    unit: 'usd',
    reason: 'exceeds_limit',
    needed: 1_780_000_000,
    left: 400_000_000,
    tags: { team: 'ünï' },
    sessionHash: null,
    context: NO_CONTEXT,
    ...changes,
  };
}
