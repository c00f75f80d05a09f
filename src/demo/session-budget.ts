import { eachValues } from '../domain/limits/each-value.ts';
import type { Limit } from '../domain/limits/limit.ts';
import { OPEN_POLICY } from '../domain/policy/policy.ts';
import type { CallAmounts, CallBegin, CallEnd } from '../domain/usage/call.ts';
import type { RefusedCall } from '../domain/usage/refused-call.ts';
import { OUTPUT_TOKENS_MAX } from './teams.ts';

/** The demo's limit on each session of one key. */
export interface SessionLimit extends Pick<Limit, 'id' | 'counter' | 'amount'> {
  readonly keyId: string;
  /** Epoch ms; earlier calls are not counted. */
  readonly since: number;
}

/** Admits and counts past calls under the limit on each session, as the gateway does. */
export class SessionBudget {
  readonly #limit: SessionLimit;
  /** nano-USD by session. */
  readonly #counted = new Map<string, number>();

  constructor(limit: SessionLimit) {
    this.#limit = limit;
  }

  /**
   * Returns the call as it is sent, shortened if its session has too little left, or refused.
   * @param hold the most that the call can use with an output maximum
   */
  admit(call: CallBegin, hold: (outputMax: number) => CallAmounts): CallBegin | RefusedCall {
    if (call.keyId !== this.#limit.keyId || call.startedAt < this.#limit.since) return call;
    const [value = ''] = eachValues('session', call.context);
    const touched = [{ counter: this.#limit.counter, unit: 'usd' as const, windowStart: 0, value }];
    const left = Math.max(0, this.#limit.amount - (this.#counted.get(value) ?? 0));
    const [whole, shortest] = [call.hold.usd ?? 0, hold(OPEN_POLICY.minOutputTokens).usd ?? 0];
    if (whole <= left) return { ...call, touched };
    if (shortest > left) return this.#refuse(call, value, shortest, left);
    const share = (left - shortest) / (whole - shortest);
    const { minOutputTokens } = OPEN_POLICY;
    const outputTokens = minOutputTokens + Math.floor((OUTPUT_TOKENS_MAX - minOutputTokens) * share);
    return { ...call, touched, hold: hold(outputTokens), shortenedTo: { outputTokens, toolUses: null } };
  }

  count({ touched }: CallBegin, { counted }: Pick<CallEnd, 'counted'>): void {
    for (const { value } of touched) this.#counted.set(value, (this.#counted.get(value) ?? 0) + (counted.usd ?? 0));
  }

  #refuse(call: CallBegin, value: string, needed: number, left: number): RefusedCall {
    const { callId, workspaceId, keyId, provider, requestedModel, tags, sessionHash, context, startedAt } = call;
    return {
      at: startedAt,
      callId,
      isSum: false,
      calls: 1,
      workspaceId,
      keyId,
      provider,
      model: requestedModel,
      limitId: this.#limit.id,
      value,
      unit: 'usd',
      reason: left === 0 ? 'spent' : 'exceeds_limit',
      needed,
      left,
      tags,
      sessionHash,
      context,
    };
  }
}
