import type { CallAmounts } from '../../domain/usage/call.ts';
import { type CallBounds, boundCall, type KnownBounds, type ModelBounds } from '../../domain/limits/hold.ts';
import type { LimitUnit } from '../../domain/limits/limit.ts';
import type { AdmissionBlock } from '../../limits/admission-block.ts';
import type { LimitCounter } from '../../limits/counter.ts';
import { LOAD_WAIT_MS_MAX, type LoadWaiter } from '../../limits/counter-loads.ts';
import { Hold } from '../../limits/hold.ts';
import type { LimitsEngine } from '../../limits/limits.ts';
import { scaleAmounts } from '../../limits/overruns.ts';
import {
  cannotCountError,
  crowdedError,
  type LimitRefusal,
  refusalError,
  tooLargeOutputError,
  unboundedError,
  uncountedError,
  unpricedError,
  unpricedTermsError,
  waitSeconds,
} from '../../limits/refusal-errors.ts';
import type { LimitSubject } from '../../limits/scope-index.ts';
import { WAIT_MS_MAX, type WaitingCall } from '../../limits/admission-queue.ts';
import type { Clock, Uptime } from '../../lib/clock.ts';
import { accountTerms } from '../../providers/provider-host.ts';
import type { BodySplice, TokenCounter } from '../../providers/provider.ts';
import { type CountCallback, CountRefusal } from './count-tokens.ts';
import type { InferenceRequest } from './proxy-request.ts';

/** Least output tokens of a shortened answer, in addition to what the request itself needs. */
const CLAMPED_LEAST_TOKENS = 256;

/** The result of admission. */
export interface AdmittedCall {
  readonly hold: Hold;
  /** Changes to the body before it is sent. */
  readonly splices: readonly BodySplice[];
  /** Output tokens that the answer was shortened to; null = not shortened. */
  readonly clampedTo: number | null;
}

/** A model that may answer, with the name that the request gives it. */
export type AskedModel = ModelBounds & { readonly model: string };

/** Runs once, and never after `leave`. */
export type AdmissionCallback = (error: unknown, admitted: AdmittedCall | null) => void;

export interface AttemptDeps {
  readonly engine: LimitsEngine;
  /** Window time. */
  readonly now: Clock;
  readonly uptime: Uptime;
  /** Asks the provider how long the prompt is. The returned function cancels that. */
  readonly countTokens: (request: InferenceRequest, counter: TokenCounter, counted: CountCallback) => () => void;
  /** Runs when a call begins to wait: the limits must be swept from now on. */
  readonly onWaiting: () => void;
}

/**
 * Admission of one call by its limits. It is admitted immediately, after waiting for other calls, after its prompt was
 * counted, or with a shorter answer; otherwise it is refused with the reason.
 */
export class AdmissionAttempt {
  readonly #deps: AttemptDeps;
  readonly #request: InferenceRequest;
  readonly #subject: LimitSubject;
  readonly #models: readonly AskedModel[];
  readonly #later: AdmissionCallback;
  #given: KnownBounds;
  #bounds: CallBounds;
  /** Factor on the cost bound, above 1 for a model that has exceeded its bound. */
  #ratio = 1;
  #clampedTo: number | null = null;
  #waited = false;
  #asked = false;
  /** Uptime until which the call waits for its on-demand counters; null = it has not waited for them. */
  #loadUntil: number | null = null;
  #giveUp: (() => void) | null = null;

  constructor(
    deps: AttemptDeps,
    request: InferenceRequest,
    subject: LimitSubject,
    models: readonly AskedModel[],
    later: AdmissionCallback,
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#subject = subject;
    this.#models = models;
    this.#later = later;
    this.#given = this.#ownMaximum();
    this.#bounds = this.#computeBounds(this.#given);
  }

  /** Admits the call or throws its refusal; null = undecided, `later` will run. */
  begin(now: number): AdmittedCall | null {
    const { engine } = this.#deps;
    const counters = engine.findCounters(this.#subject, now);
    if (counters.some(isUnread)) return this.#awaitCounters(counters);
    this.#guard(counters, now);
    const outcome = engine.admit(this.#subject, counters, this.#need(this.#bounds, counters), now);
    return outcome instanceof Hold ? this.#admitted(outcome) : this.#blocked(outcome, now);
  }

  /** Gives up because the client disconnected. */
  leave(): void {
    this.#giveUp?.();
  }

  /** Applies the output maximum of the key's policy, which may be below what the request or the model would give. */
  #ownMaximum(): KnownBounds {
    const { key, facts } = this.#request;
    const { maxOutputTokens, whenOverLimit } = key.policy;
    const { outputMax: asked, answers, outputLeast, liftsMaxUpTo } = facts.demand;
    if (maxOutputTokens === null) return {};
    // Several answers to one request share the maximum.
    const most = Math.floor(maxOutputTokens / answers);
    // The provider ignores maxima this small, so forwarding one would not shorten the answer.
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
    const { facts, key, provider } = this.#request;
    const bounds = boundCall(facts.demand, this.#models, accountTerms(key.policy, provider), given);
    const ratio = this.#deps.engine.overruns.ratio(this.#subject);
    this.#ratio = ratio;
    if (ratio === 1) return bounds;
    return { ...bounds, hold: scaleAmounts(bounds.hold, ratio) };
  }

  /** Refuses a call without a bound or a price where a blocking limit needs one. */
  #guard(counters: readonly LimitCounter[], now: number): void {
    const { key, facts, provider } = this.#request;
    const money = counters.find((counter) => blocksBy(counter, MONEY));
    const bounding = money ?? counters.find((counter) => blocksBy(counter, TOKENS));
    if (this.#bounds.unbounded !== null && bounding && key.policy.assumedCostUsd === null)
      throw unboundedError(this.#bounds.unbounded, bounding.standing(now), key);
    if (!money || this.#bounds.hold.usd !== null || key.policy.unpricedModels === 'allow') return;
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

  /** Waits until the ledger has said what the call's on-demand counters have counted, then begins again. */
  #awaitCounters(counters: readonly LimitCounter[]): null {
    const { engine, uptime, onWaiting } = this.#deps;
    this.#loadUntil ??= uptime() + LOAD_WAIT_MS_MAX;
    const waiter: LoadWaiter = {
      keyId: this.#subject.keyId,
      until: this.#loadUntil,
      loaded: () => this.#resume((now) => this.begin(now)),
      gaveUp: () =>
        this.#resume(() => {
          throw uncountedError(LOAD_WAIT_MS_MAX);
        }),
    };
    if (!engine.awaitCounters(waiter, counters.filter(isUnread))) throw crowdedError(this.#request.key);
    this.#giveUp = () => engine.stopAwaiting(waiter);
    onWaiting();
    return null;
  }

  #blocked(blocked: AdmissionBlock, now: number): AdmittedCall | null {
    const { reason } = blocked;
    if (blocked.isUnread) return this.begin(now);
    if (reason === 'in_flight' && !this.#waited && this.#wait(blocked)) return null;
    const { counter: tokenCounter } = this.#request.facts;
    if (tokenCounter && !this.#asked && this.#countHelps(now)) return this.#count(tokenCounter, blocked);
    const { counter, need } = blocked;
    const refusal = { reason, need, standing: counter.standing(now), overrun: this.#overrun() };
    const clamped = waitSeconds(refusal, now) === null ? this.#clamp(now) : null;
    if (clamped) return clamped;
    throw refusalError(refusal, now, this.#request.key);
  }

  /** Reports whether a window ended, or a limit was created, while the call waited. */
  #isUnread(now: number): boolean {
    return this.#deps.engine.findCounters(this.#subject, now).some(isUnread);
  }

  #wait(blocked: AdmissionBlock): boolean {
    const { engine, uptime, onWaiting } = this.#deps;
    const waiter: WaitingCall = {
      subject: this.#subject,
      need: this.#need(this.#bounds, [blocked.counter]),
      until: uptime() + WAIT_MS_MAX,
      admitted: (hold) => this.#resume(() => this.#checked(hold)),
      refused: (block) => {
        this.#waited = true;
        this.#resume((now) => (this.#isUnread(now) ? this.begin(now) : this.#blocked(block, now)));
      },
    };
    if (!engine.wait(waiter, blocked)) return false;
    this.#giveUp = () => engine.cancel(waiter);
    onWaiting();
    return true;
  }

  /** Checks a call that waited against limits created meanwhile. */
  #checked(hold: Hold): AdmittedCall {
    try {
      this.#guard(hold.counters, this.#deps.now());
    } catch (error) {
      this.#deps.engine.release(hold, this.#deps.now());
      throw error;
    }
    return this.#admitted(hold);
  }

  /** Reports whether an exact token count could help: the call would fit with an empty prompt. */
  #countHelps(now: number): boolean {
    const { engine } = this.#deps;
    const counters = engine.findCounters(this.#subject, now);
    const need = this.#need(this.#computeBounds({ ...this.#given, inputTokens: 0 }), counters);
    return engine.blocked(this.#subject, counters, need, now) === null;
  }

  #count(counter: TokenCounter, { counter: tight, need }: AdmissionBlock): null {
    this.#asked = true;
    const { key, provider } = this.#request;
    this.#giveUp = this.#deps.countTokens(this.#request, counter, (count) =>
      this.#resume((now) => {
        if (count instanceof CountRefusal) throw count;
        if (typeof count === 'string') {
          const refusal = { need, standing: tight.standing(now), overrun: this.#overrun() };
          throw cannotCountError(refusal, provider.name, key, count);
        }
        this.#given = { ...this.#given, inputTokens: Math.min(count, this.#bounds.hold.inputTokens) };
        this.#bounds = this.#computeBounds(this.#given);
        return this.begin(now);
      }),
    );
    return null;
  }

  /** Admits the call with the longest answer that fits, where the key's policy shortens answers; null = none fits. */
  #clamp(now: number): AdmittedCall | null {
    const { facts, key } = this.#request;
    if (key.policy.whenOverLimit !== 'clamp') return null;
    const { engine } = this.#deps;
    const counters = engine.findCounters(this.#subject, now);
    const fits = (outputMax: number): boolean =>
      engine.blocked(
        this.#subject,
        counters,
        this.#need(this.#computeBounds({ ...this.#given, outputMax }), counters),
        now,
      ) === null;
    const { outputLeast, liftsMaxUpTo } = facts.demand;
    // The provider ignores a maximum up to `liftsMaxUpTo`.
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
    const outcome = engine.admit(this.#subject, counters, this.#need(this.#bounds, counters), now);
    return outcome instanceof Hold ? this.#admitted(outcome) : null;
  }

  /** Returns why the call needs more than its bound; null = it does not. */
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

function isUnread({ isLoaded }: LimitCounter): boolean {
  return !isLoaded;
}

const MONEY: readonly LimitUnit[] = ['usd'];
const TOKENS: readonly LimitUnit[] = ['tokens', 'input_tokens', 'output_tokens'];
/** Units for which a call needs a bound. */
const BOUNDED: readonly LimitUnit[] = [...MONEY, ...TOKENS];

function blocksBy({ limit }: LimitCounter, units: readonly LimitUnit[]): boolean {
  return limit.action === 'block' && units.includes(limit.unit);
}
