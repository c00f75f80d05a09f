import type { CallAmounts } from '../../domain/usage/call.ts';
import type { GatewayKey } from '../../domain/identity/wrapped-key.ts';
import { type CallBounds, boundCall, type KnownBounds, type ModelBounds } from '../../domain/limits/hold.ts';
import type { LimitUnit } from '../../domain/limits/limit.ts';
import type { AdmissionBlock } from '../../limits/admission-block.ts';
import type { LimitCounter } from '../../limits/counter.ts';
import { Hold } from '../../limits/hold.ts';
import type { LimitsEngine } from '../../limits/limits.ts';
import { scaleAmounts } from '../../limits/overruns.ts';
import {
  cannotCountError,
  type LimitRefusal,
  refusalError,
  tooLargeOutputError,
  unboundedError,
  unpricedError,
  unpricedTermsError,
  waitSeconds,
} from '../../limits/refusal-errors.ts';
import type { LimitSubject } from '../../limits/scope-index.ts';
import { WAIT_MS_MAX, type WaitingCall } from '../../limits/admission-queue.ts';
import type { Clock, Uptime } from '../../lib/clock.ts';
import type { Provider, RequestFacts, BodySplice, TokenCounter } from '../../providers/provider.ts';
import { CountRefusal, type CountRequest, type TokenCounts } from './count-tokens.ts';

/** No answer is shortened below this many tokens, on top of what the request needs to be of use. */
const CLAMPED_LEAST_TOKENS = 256;

/** A call that wants to go. */
export interface AdmissionRequest {
  readonly key: GatewayKey;
  readonly provider: Provider;
  readonly facts: RequestFacts;
  readonly body: Buffer;
  readonly tags: Readonly<Record<string, string>>;
  readonly tagWarnings: readonly string[];
  /** Where it comes from; null = not known. */
  readonly address: string | null;
  /** Where its provider is reached, and the headers that go there. */
  readonly upstream: () => Pick<CountRequest, 'target' | 'headers' | 'client'>;
}

export interface AdmittedCall {
  readonly hold: Hold;
  /** How the body changes on its way. */
  readonly splices: readonly BodySplice[];
  /** Output tokens that the answer was shortened to; null = it was not. */
  readonly clampedTo: number | null;
}

/** A model that may answer, and its name as asked for. */
export type AskedModel = ModelBounds & { readonly model: string };

/** Told once, and not at all after `leave`. */
export type AdmissionCallback = (error: unknown, admitted: AdmittedCall | null) => void;

export interface AttemptDeps {
  readonly engine: LimitsEngine;
  /** Ledger time. */
  readonly now: Clock;
  readonly uptime: Uptime;
  readonly counts: TokenCounts;
  /** Calls wait: the ledger must be swept. */
  readonly waiting: () => void;
}

/**
 * One call on its way through the ledger: admitted at once, or after waiting for others, or once its prompt was
 * counted, or shortened; else refused with the reason.
 */
export class AdmissionAttempt {
  readonly #deps: AttemptDeps;
  readonly #request: AdmissionRequest;
  readonly #subject: LimitSubject;
  readonly #models: readonly AskedModel[];
  readonly #later: AdmissionCallback;
  #given: KnownBounds;
  #bounds: CallBounds;
  /** How many times the bound it sets aside. */
  #ratio = 1;
  #clampedTo: number | null = null;
  #waited = false;
  #asked = false;
  #giveUp: (() => void) | null = null;

  constructor(
    deps: AttemptDeps,
    entrant: AdmissionRequest,
    subject: LimitSubject,
    models: readonly AskedModel[],
    later: AdmissionCallback,
  ) {
    this.#deps = deps;
    this.#request = entrant;
    this.#subject = subject;
    this.#models = models;
    this.#later = later;
    this.#given = this.#ownMaximum();
    this.#bounds = this.#computeBounds(this.#given);
  }

  /** null = it goes on and tells `later`. Throws the refusal. */
  begin(now: number): AdmittedCall | null {
    const { engine: ledger } = this.#deps;
    const counters = ledger.findCounters(this.#subject, now);
    this.#guard(counters, now);
    const outcome = ledger.admit(this.#subject, counters, this.#need(this.#bounds, counters), now);
    return outcome instanceof Hold ? this.#admitted(outcome) : this.#blocked(outcome, now);
  }

  /** The client is gone. */
  leave(): void {
    this.#giveUp?.();
  }

  /** The key's policy may allow less output than the request asks for, or than the model gives by itself. */
  #ownMaximum(): KnownBounds {
    const { key, facts } = this.#request;
    const { maxOutputTokens, whenOverLimit } = key.policy;
    const { outputMax: asked, answers, outputLeast, liftsMaxUpTo } = facts.demand;
    if (maxOutputTokens === null) return {};
    // Of a call with several answers each may have its share.
    const most = Math.floor(maxOutputTokens / answers);
    // No maximum that is forwarded would shorten the answer.
    if (liftsMaxUpTo > 0 && (asked ?? most) <= liftsMaxUpTo)
      throw tooLargeOutputError(Math.max(asked ?? 0, outputLeast), maxOutputTokens, key);
    if (asked !== null && asked <= most) return {};
    if (most <= outputLeast || (asked !== null && whenOverLimit === 'refuse'))
      throw tooLargeOutputError((asked ?? 1) * answers, maxOutputTokens, key);
    if (asked === null) return { outputMax: Math.min(most, this.#models[0]?.outputMax ?? most) };
    this.#clampedTo = most;
    return { outputMax: most };
  }

  #computeBounds(given: KnownBounds): CallBounds {
    const { facts, key } = this.#request;
    const bounds = boundCall(facts.demand, this.#models, key.policy, given);
    const ratio = this.#deps.engine.overruns.ratio(this.#subject);
    this.#ratio = ratio;
    if (ratio === 1) return bounds;
    return { ...bounds, hold: scaleAmounts(bounds.hold, ratio) };
  }

  /** What has no bound or no price can't be held, so it doesn't pass a limit that blocks by it. */
  #guard(counters: readonly LimitCounter[], now: number): void {
    const { key, facts, provider } = this.#request;
    const money = counters.find((counter) => blocksBy(counter, MONEY));
    const bounding = money ?? counters.find((counter) => blocksBy(counter, TOKENS));
    if (this.#bounds.unbounded !== null && bounding && key.policy.assumedCostUsd === null)
      throw unboundedError(this.#bounds.unbounded, bounding.standing(now), key);
    if (!money || this.#bounds.hold.usd !== null || key.policy.unpriced === 'allow') return;
    const unlisted = this.#models.find(({ cards }) => cards.length === 0);
    throw unlisted
      ? unpricedError(unlisted.model, provider.priceProvider, money.standing(now), key)
      : unpricedTermsError(facts.model, money.standing(now), key);
  }

  #need({ hold, unbounded }: CallBounds, counters: readonly LimitCounter[]): CallAmounts {
    const { assumedCostUsd } = this.#request.key.policy;
    if (unbounded === null || assumedCostUsd === null || counters.length === 0) return hold;
    return { ...hold, usd: (hold.usd ?? 0) + assumedCostUsd };
  }

  #admitted(hold: Hold): AdmittedCall {
    const { facts, key } = this.#request;
    hold.presumed = this.#bounds.unbounded !== null;
    hold.ratio = this.#ratio;
    const obeys = key.policy.maxOutputTokens !== null || hold.counters.some((counter) => blocksBy(counter, BOUNDED));
    const capped = hold.counters.some((counter) => blocksBy(counter, MONEY));
    const { forwardMax, tier } = this.#bounds;
    return {
      hold,
      splices: obeys
        ? facts.forward({ outputMax: forwardMax, tier, models: capped ? this.#models : null })
        : facts.splices,
      clampedTo: this.#clampedTo,
    };
  }

  #blocked(blocked: AdmissionBlock, now: number): AdmittedCall | null {
    if (blocked.reason === 'in_flight' && !this.#waited && this.#wait(blocked)) return null;
    const { counter: tokenCounter } = this.#request.facts;
    if (tokenCounter && !this.#asked && this.#countHelps(now)) return this.#count(tokenCounter, blocked);
    const { reason, counter, need } = blocked;
    const refusal = { reason, need, standing: counter.standing(now), overrun: this.#overrun() };
    const clamped = waitSeconds(refusal, now) === null ? this.#clamp(now) : null;
    if (clamped) return clamped;
    if (reason !== 'in_flight') this.#deps.engine.noteExhausted(blocked, now);
    throw refusalError(refusal, now, this.#request.key);
  }

  #wait(blocked: AdmissionBlock): boolean {
    const { engine: ledger, uptime, waiting } = this.#deps;
    const waiter: WaitingCall = {
      subject: this.#subject,
      need: this.#need(this.#bounds, [blocked.counter]),
      until: uptime() + WAIT_MS_MAX,
      admitted: (hold) => this.#resume(() => this.#checked(hold)),
      refused: (still) => {
        this.#waited = true;
        this.#resume((now) => this.#blocked(still, now));
      },
    };
    if (!ledger.wait(waiter, blocked)) return false;
    this.#giveUp = () => ledger.cancel(waiter);
    waiting();
    return true;
  }

  /** Limits may have come while it waited. */
  #checked(hold: Hold): AdmittedCall {
    try {
      this.#guard(hold.counters, this.#deps.now());
    } catch (error) {
      this.#deps.engine.release(hold, this.#deps.now());
      throw error;
    }
    return this.#admitted(hold);
  }

  /** Bytes bound a prompt generously: where a prompt of no tokens would fit, the provider is asked to count it. */
  #countHelps(now: number): boolean {
    const { engine: ledger } = this.#deps;
    const counters = ledger.findCounters(this.#subject, now);
    const need = this.#need(this.#computeBounds({ ...this.#given, inputTokens: 0 }), counters);
    return ledger.blocked(this.#subject, counters, need, now) === null;
  }

  #count(counter: TokenCounter, { counter: tight, need }: AdmissionBlock): null {
    this.#asked = true;
    const { key, body, upstream, provider } = this.#request;
    this.#giveUp = this.#deps.counts.ask({ keyId: key.id, counter, body, ...upstream() }, (told) =>
      this.#resume((now) => {
        if (told instanceof CountRefusal) throw told;
        if (typeof told === 'string') {
          const refusal = { need, standing: tight.standing(now), overrun: this.#overrun() };
          throw cannotCountError(refusal, provider.name, key, told);
        }
        this.#given = { ...this.#given, inputTokens: Math.min(told, this.#bounds.hold.inputTokens) };
        this.#bounds = this.#computeBounds(this.#given);
        return this.begin(now);
      }),
    );
    return null;
  }

  /** The longest answer that fits, where the key's policy wants it shortened. */
  #clamp(now: number): AdmittedCall | null {
    const { facts, key } = this.#request;
    if (key.policy.whenOverLimit !== 'clamp') return null;
    const { engine: ledger } = this.#deps;
    const counters = ledger.findCounters(this.#subject, now);
    const fits = (outputMax: number): boolean =>
      ledger.blocked(
        this.#subject,
        counters,
        this.#need(this.#computeBounds({ ...this.#given, outputMax }), counters),
        now,
      ) === null;
    const { outputLeast, liftsMaxUpTo } = facts.demand;
    // A maximum that is not above `liftsMaxUpTo` would bound nothing.
    const least = Math.max(outputLeast + CLAMPED_LEAST_TOKENS, liftsMaxUpTo + 1);
    let [fitting, tooLong] = [least, this.#bounds.outputMax];
    if (least >= tooLong || !fits(least)) return null;
    while (tooLong - fitting > 1) {
      const middle = Math.floor((fitting + tooLong) / 2);
      if (fits(middle)) fitting = middle;
      else tooLong = middle;
    }
    this.#given = { ...this.#given, outputMax: fitting };
    this.#bounds = this.#computeBounds(this.#given);
    this.#clampedTo = fitting;
    const outcome = ledger.admit(this.#subject, counters, this.#need(this.#bounds, counters), now);
    return outcome instanceof Hold ? this.#admitted(outcome) : null;
  }

  /** Why it needs more than its bound; null = it does not. */
  #overrun(): LimitRefusal['overrun'] {
    return this.#ratio === 1 ? null : { model: this.#subject.model, ratio: this.#ratio };
  }

  #resume(step: (now: number) => AdmittedCall | null): void {
    this.#giveUp = null;
    try {
      const admitted = step(this.#deps.now());
      if (admitted) this.#later(null, admitted);
    } catch (error) {
      this.#later(error, null);
    }
  }
}

const MONEY: readonly LimitUnit[] = ['usd'];
const TOKENS: readonly LimitUnit[] = ['tokens', 'input_tokens', 'output_tokens'];
/** Units in which a call needs a bound. */
const BOUNDED: readonly LimitUnit[] = [...MONEY, ...TOKENS];

function blocksBy({ limit }: LimitCounter, units: readonly LimitUnit[]): boolean {
  return limit.action === 'block' && units.includes(limit.unit);
}
