import type { Amounts } from './call.ts';
import { NANO_MAX } from './money.ts';
import { holdCost } from './pricing.ts';
import type { RateCard } from './price.ts';

/** Tokens a provider puts around a prompt (role marks, tool preambles) that are not in the body. */
const PREAMBLE_TOKENS_MAX = 2_048;

/** The largest context window on any public list; holds for a model whose window is not known. */
const UNKNOWN_WINDOW_TOKENS = 2_000_000;

/** No call generates as much; a maximum that says more says nothing, and its product would leave the exact numbers. */
const OUTPUT_TOKENS_MAX = 1_000_000_000_000;

export interface Bound {
  /** Length of the decoded body. No tokenizer makes more tokens than there are bytes. */
  readonly bodyBytes: number;
  /** Media, or something referenced: the bytes bound nothing. */
  readonly unboundedInput: boolean;
  /** Declared output maximum × answers; null = none. */
  readonly outputMax: number | null;
}

/** The most a call can use, and the most that can cost (nano-USD, rounded up; null without a price). */
export function boundOf({ bodyBytes, unboundedInput, outputMax }: Bound, card: RateCard | null): Amounts {
  const window = card?.contextWindow ?? UNKNOWN_WINDOW_TOKENS;
  const inputTokens = unboundedInput ? window : Math.min(bodyBytes + PREAMBLE_TOKENS_MAX, window);
  const outputTokens = Math.min(outputMax ?? window, OUTPUT_TOKENS_MAX);
  const usd = card && Math.min(holdCost(card, { inputTokens, outputTokens }), NANO_MAX);
  return { usd, inputTokens, outputTokens };
}
