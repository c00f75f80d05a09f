import type { CallAmounts, CallEnd } from '../../domain/usage/call.ts';
import type { Limit, CounterStatus } from '../../domain/limits/limit.ts';
import type { AdmissionBlock } from '../admission-block.ts';
import { Hold } from '../hold.ts';
import { LimitsEngine, type LimitsObserver } from '../limits.ts';
import type { LimitSubject } from '../scope-index.ts';

/** Noon of a Saturday, UTC. */
export const NOON = Date.UTC(2026, 10, 21, 12);
export const DAY = 86_400_000;

/** Makes a limit of 100 calls a day for the whole workspace. The number of its counters is the one in its id. */
export function sampleLimit(id: string, change: Partial<Limit> = {}): Limit {
  return {
    id,
    counter: Number(/\d+/.exec(id)?.[0] ?? 1),
    workspaceId: 'ws_a',
    scope: { kind: 'workspace' },
    unit: 'calls',
    amount: 100,
    raise: null,
    window: 'day',
    action: 'block',
    thresholds: [],
    uncertain: 'keep',
    label: null,
    countsObserved: false,
    zones: [{ zone: 'UTC', since: 0 }],
    countsPast: true,
    ...change,
  };
}

/** Makes a limit in nano-USD. */
export function sampleBudget(id: string, amount: number, change: Partial<Limit> = {}): Limit {
  return sampleLimit(id, { unit: 'usd', amount, ...change });
}

export function sampleSubject(change: Partial<LimitSubject> = {}): LimitSubject {
  return {
    workspaceId: 'ws_a',
    keyId: 'key_a',
    provider: 'anthropic',
    model: 'claude-opus-4-5',
    pricedModel: 'claude-opus-4-5',
    tags: {},
    ...change,
  };
}

export function sampleNeed(usd: number | null, inputTokens = 0, outputTokens = 0): CallAmounts {
  return { usd, inputTokens, outputTokens };
}

/** Makes the end of a call that counts these nano-USD. */
export function sampleCallEnd(usd: number | null, change: Partial<CallEnd> = {}): CallEnd {
  return {
    callId: 'call',
    endedAt: NOON,
    outcome: 'completed',
    uncertainReason: null,
    status: 200,
    usageSource: 'reported',
    usage: null,
    model: 'claude-opus-4-5',
    cost: usd,
    counted: sampleNeed(usd),
    provenance: null,
    requestId: null,
    responseId: null,
    firstByteMs: null,
    ...change,
  };
}

/** Every id that a sample's limit may have. */
const IDS = Array.from({ length: 20 }, (_, number) => `lim_${number}`);

/** An engine at noon with these limits, and short methods for tests. Times are ms after noon. */
export class SampleEngine {
  readonly crossed: [limit: string, value: string, threshold: number][] = [];
  /** Limit and value of the last alert, after which no further values are alerted. */
  readonly last: string[] = [];
  /** Episodes of limits that refuse calls, and ended ones after `over`. */
  readonly refused: string[] = [];
  readonly overran: string[] = [];
  /** Limits without counters for further values, and the key that sent one. */
  readonly outOfValues: string[] = [];
  readonly engine: LimitsEngine;

  constructor(...limits: readonly Limit[]) {
    const observer: LimitsObserver = {
      crossed: ({ limit, value }, threshold, isLast) => {
        this.crossed.push([limit.id, value, threshold]);
        if (isLast) this.last.push(`${limit.id} ${value}`);
      },
      refused: ({ standing: { limit, value } }, _subject, episode, isLast) => {
        this.crossed.push([limit.id, value, 100]);
        this.refused.push(episode);
        if (isLast) this.last.push(`${limit.id} ${value}`);
      },
      readmitted: (_workspaceId, episode) => this.refused.push(`over ${episode}`),
      overran: (_hold, { callId }) => this.overran.push(callId),
      ranOutOfValues: ({ limit }, keyId) => this.outOfValues.push(`${limit.id} ${keyId}`),
    };
    this.engine = new LimitsEngine(observer);
    this.engine.load(limits, [], NOON);
  }

  /** Returns a hold, or the reason for none. */
  try(usd: number | null, subject: Partial<LimitSubject> = {}, after = 0): Hold | string {
    const who = sampleSubject(subject);
    const outcome = this.engine.admit(who, this.engine.findCounters(who, NOON + after), sampleNeed(usd), NOON + after);
    return outcome instanceof Hold ? outcome : `${outcome.reason} ${outcome.counter.limit.id}`;
  }

  /** Notes a refusal as the gateway does. */
  noteRefusal({ reason, counter, need }: AdmissionBlock, subject: Partial<LimitSubject> = {}, now = NOON): void {
    const refusal = { reason, need, standing: counter.standing(now), help: 'Raise it.' };
    this.engine.noteRefusal(refusal, sampleSubject(subject), now);
  }

  /** Tries a call that is refused, and notes that. */
  refuse(usd: number, subject: Partial<LimitSubject> = {}, after = 0): void {
    const who = sampleSubject(subject);
    const now = NOON + after;
    const blocked = this.engine.admit(who, this.engine.findCounters(who, now), sampleNeed(usd), now);
    if (blocked instanceof Hold) throw new Error('It has room.');
    this.noteRefusal(blocked, subject, now);
  }

  /** Holds a call. Throws when it is refused. */
  hold(usd: number | null, subject: Partial<LimitSubject> = {}, after = 0): Hold {
    const outcome = this.try(usd, subject, after);
    if (outcome instanceof Hold) return outcome;
    throw new Error(outcome);
  }

  settle(hold: Hold, usd: number | null, after = 0): void {
    this.engine.settle(hold, sampleCallEnd(usd), NOON + after);
  }

  /** Holds and settles a call. */
  spend(usd: number, subject: Partial<LimitSubject> = {}, after = 0): void {
    this.settle(this.hold(usd, subject, after), usd, after);
  }

  /** Returns `counted` and `held` of each counter that has something, by limit and value. */
  figures(after = 0): Record<string, [counted: CounterStatus['counted'], held: CounterStatus['held']]> {
    const standings = this.engine.standings(IDS, NOON + after, 100);
    return Object.fromEntries(
      standings
        .filter(({ counted, held }) => counted !== 0 || held !== 0)
        .map(({ limit, value, counted, held }) => [value === '' ? limit.id : `${limit.id} ${value}`, [counted, held]]),
    );
  }
}
