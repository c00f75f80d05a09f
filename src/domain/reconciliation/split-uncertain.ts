import type { CallAmounts } from '../usage/call.ts';
import {
  OUTPUT_CLASSES,
  TOKEN_CLASSES,
  type TokenClass,
  type TokenCounts,
  type Usage,
  USE_CLASSES,
} from '../usage/usage.ts';
import { FEMTO_PER_NANO, splitAmount } from './exact-amounts.ts';
import { isBatch, type LeftoverUse } from './reasons.ts';

/**
 * Usage assigned to a call without an answer: what the report has beyond known calls of the same key, model and day,
 * divided in proportion to maximum costs. The shares add up exactly, to the token and nano-dollar.
 */
export interface TokenShare {
  /** nano-USD. */
  readonly cost: number;
  readonly usage: Usage;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Remainder of a reported cell after all certain calls. */
export interface CellLeftover {
  readonly left: readonly LeftoverUse[];
  /** The gateway recorded usage that the report lacks: then the two do not describe the same calls. */
  readonly isShort: boolean;
}

const OUTPUTS: ReadonlySet<string> = new Set(OUTPUT_CLASSES);
const TOKENS: ReadonlySet<string> = new Set(TOKEN_CLASSES);
const USES: ReadonlySet<string> = new Set(USE_CLASSES);

/** False: there is more than these calls may have used, so that the key is used elsewhere too. */
export function fitsBounds(
  { left, isShort }: CellLeftover,
  bounds: Omit<CallAmounts, 'usd'> & { readonly usd: bigint },
): boolean {
  const sum = (isOf: (name: string) => boolean): number =>
    left.filter(({ slot }) => isOf(slot.name)).reduce((all, { count }) => all + count, 0);
  return (
    !isShort &&
    left.every(({ slot }) => !isBatch(slot) && (TOKENS.has(slot.name) || USES.has(slot.name))) &&
    new Set(left.map(({ slot }) => joinTerms(slot.terms))).size <= 1 &&
    sum((name) => TOKENS.has(name) && !OUTPUTS.has(name)) <= bounds.inputTokens &&
    sum((name) => OUTPUTS.has(name)) <= bounds.outputTokens &&
    leftoverNano(left) <= bounds.usd
  );
}

/**
 * In the order of `bounds`; null = there is nothing that they could be shared by, or more than they may have used.
 * @param upTo nano-USD that they may have cost at most, at the prices of `rest`; absent = the sum of their bounds
 */
export function splitUncertain(rest: CellLeftover, bounds: readonly CallAmounts[], upTo?: bigint): TokenShare[] | null {
  if (bounds.some(({ usd }) => usd === null)) return null;
  const usd = bounds.map((bound) => BigInt(bound.usd ?? 0));
  const input = bounds.map((bound) => BigInt(bound.inputTokens));
  const output = bounds.map((bound) => BigInt(bound.outputTokens));
  const all = {
    usd: upTo ?? sumBigints(usd),
    inputTokens: Number(sumBigints(input)),
    outputTokens: Number(sumBigints(output)),
  };
  const cost = leftoverNano(rest.left);
  // A credit on the bill is of no call.
  if (!fitsBounds(rest, all) || cost < 0n) return null;
  const weightsOf = (name: string): readonly bigint[] => (OUTPUTS.has(name) ? output : TOKENS.has(name) ? input : usd);
  const parts = rest.left.map(({ slot, count }) => ({
    slot,
    counts: splitAmount(BigInt(count), weightsOf(slot.name)),
  }));
  return splitAmount(cost, usd).map((share, index) =>
    toTokenShare(
      Number(share),
      parts.map(({ slot, counts }) => ({ slot, count: Number(counts[index] ?? 0n) })),
    ),
  );
}

function toTokenShare(cost: number, parts: readonly Pick<LeftoverUse, 'slot' | 'count'>[]): TokenShare {
  const lengths = new Map<number, TokenCounts>();
  const uses: Usage['uses'] = {};
  let [inputTokens, outputTokens] = [0, 0];
  for (const { slot, count } of parts) {
    const { name, terms } = slot;
    const use = USE_CLASSES.find((one) => one === name);
    const token = TOKEN_CLASSES.find((one) => one === name);
    if (use && count > 0) uses[use] = count;
    if (!token || count === 0) continue;
    addLengthTokens(lengths, terms.above, token, count);
    if (OUTPUTS.has(token)) outputTokens += count;
    else inputTokens += count;
  }
  const inferences = [...lengths].map(([above, tokens]) => ({
    model: null,
    tokens,
    promptTokens: above === 0 ? 0 : above + 1,
  }));
  const { tier = '', geo = '', speed = '' } = parts[0]?.slot.terms ?? {};
  const terms = { tier: tier || null, geo: geo || null, speed: speed || null };
  return { cost, usage: { inferences, uses, thinking: 0, terms }, inputTokens, outputTokens };
}

function addLengthTokens(lengths: Map<number, TokenCounts>, above: number, name: TokenClass, count: number): void {
  const tokens = lengths.get(above) ?? {};
  tokens[name] = (tokens[name] ?? 0) + count;
  lengths.set(above, tokens);
}

/** Whole nano-dollars: never more than the report has. */
function leftoverNano(left: readonly LeftoverUse[]): bigint {
  return sumBigints(left.map(({ cost }) => cost)) / FEMTO_PER_NANO;
}

function sumBigints(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

function joinTerms({ tier, geo, speed }: LeftoverUse['slot']['terms']): string {
  return `${tier} ${geo} ${speed}`;
}
