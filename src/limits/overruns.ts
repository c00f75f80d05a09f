import type { CallAmounts, CallEnd } from '../domain/usage/call.ts';
import { NANO_MAX } from '../domain/money/money.ts';
import type { Hold } from './hold.ts';
import type { LimitSubject } from './scope-index.ts';

/** Models whose calls passed their hold that are remembered; names come from the wire. */
const OVERRUNS_MAX = 1_000;
/** No model has a longer name; of one that says it has, this much is remembered. */
const NAME_CHARACTERS_MAX = 200;

/** Whose calls are held at a ratio: those of one workspace, so that no other can make them dearer. */
export type OverrunSubject = Pick<LimitSubject, 'workspaceId' | 'provider' | 'model'>;
/** Each spelling of a model shares the ratio of the name it is priced under. */
type NamedSubject = OverrunSubject & Partial<Pick<LimitSubject, 'pricedModel'>>;

/** A model that was charged for more than its bound said. */
export interface ModelOverrun extends OverrunSubject {
  /** Charged by bound, above 1. */
  readonly ratio: number;
  /** The call that came to more first. */
  readonly firstCall: string;
}

/** Models that were charged for more than the bound said, and by how much, until somebody acknowledges it. */
export class ModelOverruns {
  readonly #overruns = new Map<string, ModelOverrun>();

  /** 1 = holds are enough. */
  ratio(model: NamedSubject): number {
    return this.#overruns.size === 0 ? 1 : (this.#overruns.get(overrunKey(model))?.ratio ?? 1);
  }

  /** What is now known of the model of a call that counted more than it had set aside; null = it did not. */
  note(hold: Pick<Hold, 'need' | 'subject' | 'presumed' | 'ratio'>, end: CallEnd): ModelOverrun | null {
    const { need, subject, presumed, ratio } = hold;
    const { counted, outcome, callId } = end;
    if (presumed || outcome === 'not_sent') return null;
    const passed = Math.max(
      need.usd === null ? 1 : overrunRatio(counted.usd ?? 0, need.usd),
      overrunRatio(counted.inputTokens, need.inputTokens),
      overrunRatio(counted.outputTokens, need.outputTokens),
    );
    if (passed <= 1) return null;
    const known = this.#overruns.get(overrunKey(subject));
    const { workspaceId, provider } = subject;
    const overrun = {
      workspaceId,
      provider,
      model: shortModelName(subject),
      // What it held was scaled already.
      ratio: Math.max(passed * ratio, known?.ratio ?? 1),
      firstCall: known?.firstCall ?? callId,
    };
    this.put(overrun);
    return overrun;
  }

  put(overrun: ModelOverrun): void {
    const key = overrunKey(overrun);
    if (this.#overruns.size >= OVERRUNS_MAX && !this.#overruns.has(key)) {
      const [oldest] = this.#overruns.keys();
      if (oldest !== undefined) this.#overruns.delete(oldest);
    }
    this.#overruns.set(key, overrun);
  }

  acknowledge(model: OverrunSubject): void {
    this.#overruns.delete(overrunKey(model));
  }
}

/** A call whose work nothing bounds cost more than its key's policy presumes, which limits then count beyond its hold. */
export function passesPresumed({ presumed, need, counters }: Hold, { counted }: CallEnd): boolean {
  return presumed && counters.length > 0 && need.usd !== null && (counted.usd ?? 0) > need.usd;
}

/** Amounts at a ratio, rounded up. */
export function scaleAmounts({ usd, inputTokens, outputTokens }: CallAmounts, ratio: number): CallAmounts {
  const scale = (amount: number): number => Math.min(Math.ceil(amount * ratio), NANO_MAX);
  return { usd: usd === null ? null : scale(usd), inputTokens: scale(inputTokens), outputTokens: scale(outputTokens) };
}

/** A hold of nothing that was passed says nothing about the next; its call is told all the same. */
function overrunRatio(counted: number, need: number): number {
  if (counted <= need) return 1;
  return need === 0 ? 1 + Number.EPSILON : counted / need;
}

function shortModelName({ model, pricedModel }: NamedSubject): string {
  return (pricedModel ?? model).slice(0, NAME_CHARACTERS_MAX);
}

function overrunKey(subject: NamedSubject): string {
  return `${subject.workspaceId} ${subject.provider} ${shortModelName(subject)}`;
}
