import type { Amounts, CallEnd } from '../core/call.ts';
import { NANO_MAX } from '../core/money.ts';
import type { Hold } from './hold.ts';

/** Models whose calls passed their hold that are remembered; names come from the wire. */
const OVERRUNS_MAX = 1_000;

/** Models that were charged for more than the bound said, and by how much, until somebody acknowledges it. */
export class Overruns {
  readonly #ratios = new Map<string, number>();

  /** 1 = holds are enough. */
  ratio(provider: string, model: string): number {
    return this.#ratios.size === 0 ? 1 : (this.#ratios.get(keyOf(provider, model)) ?? 1);
  }

  /** Says whether the call counted more than it had set aside. */
  note(
    { need, subject, presumed }: Pick<Hold, 'need' | 'subject' | 'presumed'>,
    { counted, outcome }: CallEnd,
  ): boolean {
    if (presumed || outcome === 'not_sent') return false;
    const ratio = Math.max(
      need.usd === null ? 1 : over(counted.usd ?? 0, need.usd),
      over(counted.inputTokens, need.inputTokens),
      over(counted.outputTokens, need.outputTokens),
    );
    if (ratio <= 1) return false;
    this.set(subject.provider, subject.model, Math.max(ratio, this.ratio(subject.provider, subject.model)));
    return true;
  }

  set(provider: string, model: string, ratio: number): void {
    const key = keyOf(provider, model);
    if (this.#ratios.size >= OVERRUNS_MAX && !this.#ratios.has(key)) {
      const [oldest] = this.#ratios.keys();
      if (oldest !== undefined) this.#ratios.delete(oldest);
    }
    this.#ratios.set(key, ratio);
  }

  acknowledge(provider: string, model: string): void {
    this.#ratios.delete(keyOf(provider, model));
  }
}

/** Amounts at a ratio, rounded up. */
export function scaled({ usd, inputTokens, outputTokens }: Amounts, ratio: number): Amounts {
  const scale = (amount: number): number => Math.min(Math.ceil(amount * ratio), NANO_MAX);
  return { usd: usd === null ? null : scale(usd), inputTokens: scale(inputTokens), outputTokens: scale(outputTokens) };
}

/** A hold of nothing that was passed says nothing about the next; its call is told all the same. */
function over(counted: number, need: number): number {
  if (counted <= need) return 1;
  return need === 0 ? 1 + Number.EPSILON : counted / need;
}

function keyOf(provider: string, model: string): string {
  return `${provider} ${model}`;
}
