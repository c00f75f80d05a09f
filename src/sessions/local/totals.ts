import { addWhole, type WholeAmount } from '../../domain/money/money.ts';
import type { ModelUse, UsedTokens } from './use.ts';

/** A sum of uses. */
export interface LocalTotals extends UsedTokens {
  readonly calls: number;
  /** nano-USD of everything that has a price; null = nothing has. */
  readonly cost: WholeAmount | null;
  /** Calls that have no price: their tokens are counted, and add nothing to the cost. */
  readonly unpricedCalls: number;
}

/** Adds uses up. */
export class RunningTotals implements LocalTotals {
  calls = 0;
  inputTokens = 0;
  outputTokens = 0;
  cacheReadTokens = 0;
  cacheCreationTokens = 0;
  unpricedCalls = 0;
  #priced: WholeAmount | null = null;
  #uses = 0;

  add(use: ModelUse): void {
    this.#uses += 1;
    this.calls += use.calls;
    this.inputTokens += use.inputTokens;
    this.outputTokens += use.outputTokens;
    this.cacheReadTokens += use.cacheReadTokens;
    this.cacheCreationTokens += use.cacheCreationTokens;
    if (use.cost === null) this.unpricedCalls += use.calls;
    else this.#priced = addWhole(this.#priced ?? 0, use.cost);
  }

  /** No use at all costs nothing, and that is known. */
  get cost(): WholeAmount | null {
    return this.#uses === 0 ? 0 : this.#priced;
  }
}

export function sumUses(uses: Iterable<ModelUse>): RunningTotals {
  const sum = new RunningTotals();
  for (const use of uses) sum.add(use);
  return sum;
}

/** All tokens of all classes. */
export function sumTokens(totals: UsedTokens): number {
  return totals.inputTokens + totals.outputTokens + totals.cacheReadTokens + totals.cacheCreationTokens;
}
