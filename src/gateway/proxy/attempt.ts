import type { CallAmounts, ShortenedTo } from '../../domain/usage/call.ts';
import type { RequestDemand } from '../../domain/limits/demand.ts';
import { asSent, type CallBounds, boundCall, type KnownBounds } from '../../domain/limits/cost-bound.ts';
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
  uncountedError,
  unleasedError,
  waitSeconds,
} from '../../limits/refusal-errors.ts';
import type { LimitSubject } from '../../limits/scope-index.ts';
import { WAIT_MS_MAX } from '../../domain/limits/admission-rules.ts';
import type { WaitingCall } from '../../limits/admission-queue.ts';
import type { Clock, Uptime } from '../../lib/clock.ts';
import { accountTerms } from '../../providers/provider-host.ts';
import type { BodySplice, TokenCounter } from '../../providers/provider.ts';
import { type CountCallback, CountRefusal } from './count-tokens.ts';
import type { AskedModel, InferenceRequest } from './proxy-request.ts';
import { BOUNDED, blocksBy, MONEY, requireBounds } from './require-bounds.ts';
import { type CallForm, type ShorterForm, ShorterForms } from './shorter-form.ts';

/** Uses of provider tools in a call that names no maximum, if all of them fit. */
const TOOL_USES_MAX = 20;
/** The result of admission. */
export interface AdmittedCall {
  readonly hold: Hold;
  /** Changes to the body before it is sent. */
  readonly splices: readonly BodySplice[];
  /** Maxima that were written into the request; null = none. */
  readonly shortenedTo: ShortenedTo | null;
}

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
  #subject: LimitSubject;
  readonly #models: readonly AskedModel[];
  readonly #later: AdmissionCallback;
  #given: KnownBounds;
  #computed: CallBounds | null = null;
  /**
   * The gateway writes its terms into the request: a tier, a maximum. Without them the call may cost what its body and the
   * account's settings allow, and holds that.
   */
  #writesTerms: boolean;
  /** Factor on the cost bound, above 1 for a model that has exceeded its bound. */
  #ratio = 1;
  /** The same of dollars, also above 1 for a model whose provider stated higher costs than its prices give. */
  #usdRatio = 1;
  /** The demand of the request, with the uses of tools that the gateway allows. */
  #demand: RequestDemand;
  /** Maximum uses of tools that the gateway writes; null = as requested. */
  #toolUses: number | null = null;
  /** Output maximum that the gateway writes because of a limit or the policy; null = as requested. */
  #shortenedOutput: number | null = null;
  #waited = false;
  /** Uptime until which it may wait for room; null = it has not waited. */
  #waitUntil: number | null = null;
  #asked = false;
  /** The provider's counter does not take this request, so that its bytes alone bound the prompt. */
  #isUncountable = false;
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
    this.#demand = request.facts.demand;
    this.#given = this.#ownMaximum();
    this.#writesTerms = request.key.policy.maxOutputTokens !== null;
  }

  /** Admits the call or throws its refusal; null = undecided, `later` will run. */
  begin(now: number): AdmittedCall | null {
    const { engine } = this.#deps;
    if (!this.#findAgentsAbove(now)) return null;
    const counters = engine.findCounters(this.#subject, now);
    if (counters.some(isUnread)) return this.#awaitCounters(counters);
    this.#loadUntil = null;
    this.#chooseTerms(counters);
    this.#limitTools(counters);
    this.#guard(counters, now);
    const outcome = engine.admit(this.#subject, counters, this.#need(this.#bounds), now);
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
    const outputField = this.#outputField;
    // The requests of a batch were checked one by one.
    if (maxOutputTokens === null || facts.bounds) return {};
    // Several answers to one request share the maximum.
    const most = Math.floor(maxOutputTokens / answers);
    // The provider ignores maxima this small, so forwarding one would not shorten the answer.
    if (liftsMaxUpTo > 0 && (asked ?? most) <= liftsMaxUpTo)
      throw tooLargeOutputError(Math.max(asked ?? 0, outputLeast), maxOutputTokens, key, outputField);
    if (asked !== null && asked <= most) return {};
    if (most <= outputLeast || (asked !== null && whenOverLimit === 'refuse'))
      throw tooLargeOutputError((asked ?? 1) * answers, maxOutputTokens, key, outputField);
    if (asked === null) return { outputMax: Math.min(most, this.#models[0]?.outputMax ?? most) };
    this.#shortenedOutput = most;
    return { outputMax: most };
  }

  /** Computed when the counters of the call are known. */
  get #bounds(): CallBounds {
    this.#computed ??= this.#computeBounds(this.#demand, this.#given);
    return this.#computed;
  }

  /** Decides for good to write terms where a limit needs them, so that they are sent also if the limit is removed. */
  #chooseTerms(counters: readonly LimitCounter[]): void {
    if (!this.#lacksTerms(counters)) return;
    this.#writesTerms = true;
    this.#computed = null;
  }

  /** Reports whether a limit needs terms in the request that the bounds do not include yet. */
  #lacksTerms(counters: readonly LimitCounter[]): boolean {
    return !this.#writesTerms && counters.some((counter) => blocksBy(counter, BOUNDED));
  }

  #computeBounds(demand: RequestDemand, given: KnownBounds): CallBounds {
    const { key, provider } = this.#request;
    const { bounds: sum } = this.#request.facts;
    const sent = this.#writesTerms ? demand : asSent(demand);
    const bounds = sum ?? boundCall(sent, this.#models, accountTerms(key.policy, provider), given);
    const { overruns, statedRatios } = this.#deps.engine;
    this.#ratio = overruns.ratio(this.#subject);
    this.#usdRatio = Math.max(this.#ratio, statedRatios.ratio(this.#subject, this.#models[0]?.cards ?? []));
    if (this.#usdRatio === 1) return bounds;
    return { ...bounds, hold: scaleAmounts(bounds.hold, this.#ratio, this.#usdRatio) };
  }

  /** Limits the uses of tools without a maximum where a blocking limit needs a bound. */
  #limitTools(counters: readonly LimitCounter[]): void {
    const { facts, key } = this.#request;
    if (this.#bounds.unbounded === null || facts.tools === null || key.policy.whenOverLimit !== 'shorten') return;
    if (key.policy.assumedCostUsd !== null || !counters.some((counter) => blocksBy(counter, BOUNDED))) return;
    this.#demand = facts.tools.demandAt(TOOL_USES_MAX);
    this.#toolUses = TOOL_USES_MAX;
    this.#computed = this.#computeBounds(this.#demand, this.#given);
  }

  /** Refuses a call without a bound or a price where a blocking limit needs one. */
  #guard(counters: readonly LimitCounter[], now: number): void {
    requireBounds(this.#request, this.#models, this.#bounds, counters, now);
  }

  /** Includes the assumed cost of unbounded work also without a limit: one may be created while the call runs. */
  #need({ hold, unbounded }: CallBounds): CallAmounts {
    const { assumedCostUsd } = this.#request.key.policy;
    if (unbounded === null || assumedCostUsd === null) return hold;
    return { ...hold, usd: (hold.usd ?? 0) + assumedCostUsd };
  }

  #admitted(hold: Hold): AdmittedCall {
    const { facts } = this.#request;
    hold.presumed = this.#bounds.unbounded !== null;
    hold.ratio = this.#ratio;
    hold.usdRatio = this.#usdRatio;
    hold.cards = this.#models[0]?.cards ?? hold.cards;
    const capped = hold.counters.some((counter) => blocksBy(counter, MONEY));
    hold.hasOpenPrice = facts.demand.hasEndpoints && !capped;
    const { forwardMax, tier } = this.#bounds;
    return {
      hold,
      splices: this.#writesTerms
        ? facts.forward({
            outputMax: forwardMax,
            thinkingBudget: this.#given.thinkingBudget ?? null,
            toolUses: this.#toolUses,
            tier,
            models: capped ? this.#models : null,
          })
        : facts.splices,
      shortenedTo: this.#shortenedTo(),
    };
  }

  /** Reports whether a limit counts all agents above the call's own, and they are not known yet. */
  #lacksAgents(): boolean {
    const subject = this.#subject;
    return subject.context?.olderAgents === undefined && this.#deps.engine.countsAgents(subject);
  }

  /** Finds the agents above the call's own where a limit counts them. Returns false if the ledger must be asked first. */
  #findAgentsAbove(now: number): boolean {
    const subject = this.#subject;
    const { context } = subject;
    if (!context || !this.#lacksAgents()) return true;
    const { engine, onWaiting } = this.#deps;
    const { agents } = engine;
    const scope = { ...subject, session: context.session };
    const olderAgents = agents.findAbove(scope, context, now);
    if (olderAgents) {
      this.#subject = { ...subject, context: { ...context, olderAgents } };
      return true;
    }
    const waiter = this.#ledgerWaiter(() => !engine.countsAgents(subject));
    if (!agents.wait(waiter, scope, context, now)) throw crowdedError(this.#request.key);
    this.#giveUp = () => agents.cancel(waiter);
    onWaiting();
    return false;
  }

  /** @param isPointless true = a limit was removed, so the call need not wait any longer */
  #ledgerWaiter(isPointless = (): boolean => false): LoadWaiter {
    this.#loadUntil ??= this.#deps.uptime() + LOAD_WAIT_MS_MAX;
    return {
      keyId: this.#subject.keyId,
      until: this.#loadUntil,
      loaded: () => this.#resume((now) => this.begin(now)),
      gaveUp: () =>
        this.#resume((now) => {
          if (isPointless()) return this.begin(now);
          throw uncountedError(LOAD_WAIT_MS_MAX);
        }),
    };
  }

  /** Waits until the ledger has said what on-demand counters, or those of a new limit, have counted, then begins again. */
  #awaitCounters(counters: readonly LimitCounter[]): null {
    const { engine, onWaiting } = this.#deps;
    const waiter = this.#ledgerWaiter();
    if (!engine.awaitCounters(waiter, counters.filter(isUnread))) throw crowdedError(this.#request.key);
    this.#giveUp = () => engine.stopAwaiting(waiter);
    onWaiting();
    return null;
  }

  #shortenedTo(): ShortenedTo | null {
    const [outputTokens, toolUses] = [this.#shortenedOutput, this.#toolUses];
    return outputTokens === null && toolUses === null ? null : { outputTokens, toolUses };
  }

  #blocked(blocked: AdmissionBlock, now: number): AdmittedCall | null {
    if (blocked.isUnread) return this.begin(now);
    if (blocked.isUnleased && !this.#mayWait(blocked)) throw unleasedError();
    if (this.#mayWait(blocked) && this.#wait(blocked)) return null;
    const forms = this.#shorterForms(now);
    const shorter = this.#mayShorten(blocked, now) ? forms.find() : null;
    const { counter } = this.#request.facts;
    if (counter !== null && !this.#asked && !shorter?.isAmple && forms.countHelps(shorter))
      return this.#count(counter, blocked);
    if (shorter === null) return this.#refuse(blocked, now);
    return this.#takeShorterForm(shorter, now);
  }

  #takeShorterForm(form: ShorterForm, now: number): AdmittedCall | null {
    this.#apply(form);
    if (this.#lacksAgents()) return this.begin(now);
    const { engine } = this.#deps;
    const counters = engine.findCounters(this.#subject, now);
    // A limit may have been created while the call waited.
    this.#guard(counters, now);
    const outcome = engine.admit(this.#subject, counters, this.#need(this.#bounds), now);
    if (outcome instanceof Hold) return this.#admitted(outcome);
    if (outcome.isUnread) return this.begin(now);
    if (this.#mayWait(outcome) && this.#wait(outcome)) return null;
    return this.#refuse(outcome, now);
  }

  #refuse(blocked: AdmissionBlock, now: number): never {
    if (blocked.isUnleased) throw unleasedError();
    const { key, provider, facts } = this.#request;
    const refusal = this.#refusal(blocked, now);
    if (this.#isUncountable && blocked.reason === 'exceeds_limit')
      throw cannotCountError(refusal, provider.name, key, 'never');
    throw refusalError(refusal, now, key, facts.batch);
  }

  get #outputField(): string | null {
    return this.#request.facts.outputField ?? null;
  }

  #refusal({ reason, counter, need }: AdmissionBlock, now: number): LimitRefusal {
    const standing = counter.standing(now);
    const isElsewhere = counter.lease !== null && need <= standing.left;
    return { reason, need, standing, overrun: this.#overrun(), isElsewhere, outputField: this.#outputField };
  }

  /** Reports whether a window ended, or a limit was created, while the call waited, so that it must begin again. */
  #isOutdated(now: number): boolean {
    const counters = this.#deps.engine.findCounters(this.#subject, now);
    return counters.some(isUnread) || this.#lacksTerms(counters);
  }

  /** A call waits once. Where nodes share a limit, another form of the call waits again: other nodes are asked for its need. */
  #mayWait({ reason, counter, isUnleased }: AdmissionBlock): boolean {
    const { engine, uptime } = this.#deps;
    if (reason !== 'in_flight' || (isUnleased && engine.isAuthorityAway)) return false;
    if (!this.#waited) return true;
    return counter.lease !== null && this.#waitUntil !== null && uptime() < this.#waitUntil;
  }

  #wait(blocked: AdmissionBlock): boolean {
    const { engine, uptime, onWaiting } = this.#deps;
    this.#waitUntil ??= uptime() + WAIT_MS_MAX;
    const waiter: WaitingCall = {
      subject: this.#subject,
      need: this.#need(this.#bounds),
      until: this.#waitUntil,
      admitted: (hold) => this.#resume(() => this.#checked(hold)),
      refused: (block) => {
        this.#waited = true;
        this.#resume((now) => (this.#isOutdated(now) ? this.begin(now) : this.#blocked(block, now)));
      },
    };
    if (!engine.wait(waiter, blocked)) return false;
    this.#giveUp = () => engine.cancel(waiter);
    onWaiting();
    return true;
  }

  /** Checks a call that waited against limits created meanwhile. */
  #checked(hold: Hold): AdmittedCall | null {
    const now = this.#deps.now();
    if (this.#lacksAgents() || this.#lacksTerms(hold.counters)) {
      this.#deps.engine.release(hold, now);
      return this.begin(now);
    }
    try {
      this.#guard(hold.counters, now);
    } catch (error) {
      this.#deps.engine.release(hold, now);
      throw error;
    }
    return this.#admitted(hold);
  }

  #count(counter: TokenCounter, blocked: AdmissionBlock): null {
    this.#asked = true;
    const { key, provider } = this.#request;
    const { counter: tight, need } = blocked;
    this.#giveUp = this.#deps.countTokens(this.#request, counter, (count) =>
      this.#resume((now) => {
        if (count instanceof CountRefusal) throw count;
        if (count === 'never') {
          this.#isUncountable = true;
          return this.begin(now);
        }
        if (count === 'late') {
          const shorter = this.#mayShorten(blocked, now) ? this.#shorterForms(now).find() : null;
          if (shorter?.fits) return this.#takeShorterForm(shorter, now);
          const refusal = {
            need,
            standing: tight.standing(now),
            overrun: this.#overrun(),
            outputField: this.#outputField,
          };
          throw cannotCountError(refusal, provider.name, key, count);
        }
        this.#given = { ...this.#given, inputTokens: Math.min(count, this.#bounds.hold.inputTokens) };
        this.#computed = null;
        return this.begin(now);
      }),
    );
    return null;
  }

  /** Reports whether the policy shortens a blocked call, and waiting does not help the whole call. */
  #mayShorten(blocked: AdmissionBlock, now: number): boolean {
    const { key, facts } = this.#request;
    if (key.policy.whenOverLimit !== 'shorten' || facts.bounds) return false;
    const waitHelps = blocked.reason !== 'in_flight' && waitSeconds(this.#refusal(blocked, now), now) !== null;
    return !waitHelps && BOUNDED.includes(blocked.counter.limit.unit);
  }

  /** Returns the forms of the call that may fit under the limits of this moment. */
  #shorterForms(now: number): ShorterForms {
    const counters = this.#deps.engine.findCounters(this.#subject, now);
    const whole = { demand: this.#demand, given: this.#given, toolUses: this.#toolUses };
    return new ShorterForms(this.#request, whole, this.#bounds.outputMax, (form, copies) =>
      this.#fits(form, counters, now, copies),
    );
  }

  /** Reports whether a form of the call fits, in so many copies. */
  #fits({ demand, given }: CallForm, counters: readonly LimitCounter[], now: number, copies: number): boolean {
    const need = this.#need(this.#computeBounds(demand, given));
    const wanted = copies === 1 ? need : scaleAmounts(need, copies);
    return this.#deps.engine.blocked(this.#subject, counters, wanted, now) === null;
  }

  #apply({ demand, given, toolUses, outputMax }: ShorterForm): void {
    if (outputMax < this.#bounds.outputMax) this.#shortenedOutput = outputMax;
    this.#demand = demand;
    this.#given = given;
    this.#toolUses = toolUses;
    this.#computed = this.#computeBounds(demand, given);
  }

  /** Returns why the call needs more than its bound; null = it does not. */
  #overrun(): LimitRefusal['overrun'] {
    const { model } = this.#subject;
    const { priceProvider } = this.#request.provider;
    if (this.#usdRatio > this.#ratio) return { model, ratio: this.#usdRatio, statedBy: priceProvider };
    return this.#ratio === 1 ? null : { model, ratio: this.#ratio, statedBy: null };
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
