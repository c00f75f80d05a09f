import type { CallAmounts, CallEnd } from '../domain/usage/call.ts';
import { NANO_MAX } from '../domain/money/money.ts';
import type { Hold } from './hold.ts';
import type { LimitSubject } from './scope-index.ts';

/** Maximum number of remembered models, whose names come from requests. */
const OVERRUNS_MAX = 1_000;
/** Maximum length of a remembered model name. */
const NAME_CHARACTERS_MAX = 200;

/** The model whose calls are held at a ratio, in one workspace only. */
export type OverrunSubject = Pick<LimitSubject, 'workspaceId' | 'provider' | 'model'>;
/** Each spelling of a model shares the ratio of the name it is priced under. */
export type NamedSubject = OverrunSubject & Partial<Pick<LimitSubject, 'pricedModel'>>;

/** A model that was charged more than its cost bound. */
export interface ModelOverrun extends OverrunSubject {
  /** Charge divided by bound, above 1. */
  readonly ratio: number;
  /** The first call that exceeded its bound. */
  readonly firstCall: string;
}

type JudgedHold = Pick<Hold, 'need' | 'subject' | 'presumed' | 'ratio' | 'usdRatio' | 'hasOpenPrice'>;

/** Models that were charged more than their cost bound, with the ratio, until the alert is acknowledged. */
export class ModelOverruns {
  readonly #overruns = new Map<string, ModelOverrun>();

  /** Returns the factor for holds of a model; 1 = its bounds have held. */
  ratio(model: NamedSubject): number {
    return this.#overruns.size === 0 ? 1 : (this.#overruns.get(ratioKey(model))?.ratio ?? 1);
  }

  /** Notes a settled call. Returns the overrun of its model if it counted more than it held; null = it did not. */
  note(hold: JudgedHold, end: CallEnd): ModelOverrun | null {
    const { need, subject, presumed, ratio, usdRatio, hasOpenPrice } = hold;
    const { counted, outcome, callId } = end;
    if (presumed || outcome === 'not_sent') return null;
    const usd = need.usd === null || hasOpenPrice ? 1 : overrunRatio(counted.usd ?? 0, need.usd);
    const tokens = Math.max(
      overrunRatio(counted.inputTokens, need.inputTokens),
      overrunRatio(counted.outputTokens, need.outputTokens),
    );
    if (usd <= 1 && tokens <= 1) return null;
    const known = this.#overruns.get(ratioKey(subject));
    const { workspaceId, provider } = subject;
    const overrun = {
      workspaceId,
      provider,
      model: shortModelName(subject),
      // What it held was scaled already.
      ratio: Math.max(usd > 1 ? usd * usdRatio : 1, tokens > 1 ? tokens * ratio : 1, known?.ratio ?? 1),
      firstCall: known?.firstCall ?? callId,
    };
    this.put(overrun);
    return overrun;
  }

  /** Takes an overrun that another node may have found, unless calls of this one passed their bound by more. */
  learn(overrun: ModelOverrun): void {
    if (overrun.ratio > this.ratio(overrun)) this.put(overrun);
  }

  put(overrun: ModelOverrun): void {
    const key = ratioKey(overrun);
    if (this.#overruns.size >= OVERRUNS_MAX && !this.#overruns.has(key)) {
      const [oldest] = this.#overruns.keys();
      if (oldest !== undefined) this.#overruns.delete(oldest);
    }
    this.#overruns.set(key, overrun);
  }

  acknowledge(model: OverrunSubject): void {
    this.#overruns.delete(ratioKey(model));
  }
}

/**
 * Reports whether an unbounded call cost more than the amount that its key's policy assumes. Limits count that beyond
 * the hold.
 */
export function passesPresumed({ presumed, need, counters }: Hold, { counted }: CallEnd): boolean {
  return presumed && counters.length > 0 && need.usd !== null && (counted.usd ?? 0) > need.usd;
}

/** Amounts at a ratio, rounded up. @param usdRatio that of the dollars */
export function scaleAmounts(
  { usd, inputTokens, outputTokens }: CallAmounts,
  ratio: number,
  usdRatio = ratio,
): CallAmounts {
  return {
    usd: usd === null ? null : scaleUp(usd, usdRatio),
    inputTokens: scaleUp(inputTokens, ratio),
    outputTokens: scaleUp(outputTokens, ratio),
  };
}

function scaleUp(amount: number, ratio: number): number {
  return Math.min(Math.ceil(amount * ratio), NANO_MAX);
}

/** Returns count divided by hold. A hold of zero gives no usable ratio, but its overrun is reported. */
function overrunRatio(counted: number, need: number): number {
  if (counted <= need) return 1;
  return need === 0 ? 1 + Number.EPSILON : counted / need;
}

function shortModelName({ model, pricedModel }: NamedSubject): string {
  return (pricedModel ?? model).slice(0, NAME_CHARACTERS_MAX);
}

/** Returns the key of a model in a workspace. */
export function ratioKey(subject: NamedSubject): string {
  return `${subject.workspaceId} ${subject.provider} ${shortModelName(subject)}`;
}
