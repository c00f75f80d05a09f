import type { CallAmounts } from '../../src/domain/usage/call.ts';
import { type RequestDemand, NO_DEMAND, NO_WORK } from '../../src/domain/limits/demand.ts';
import type { RateCard, TokenRates } from '../../src/domain/pricing/price.ts';
import { NO_TERMS, type Usage } from '../../src/domain/usage/usage.ts';
import type { Dice } from './dice.ts';

export const PROVIDER = 'provider-a';

/** Rates that don't divide evenly, so that rounding shows. pico-USD per token. */
const SMALL: TokenRates = { input: 1_250, cacheRead: 127, cacheWrite5m: 1_563, output: 5_003 };
const LARGE: TokenRates = { input: 3_001, cacheRead: 301, cacheWrite5m: 3_751, output: 15_007 };
const LARGE_LONG: TokenRates = { input: 6_001, cacheRead: 601, cacheWrite5m: 7_501, output: 22_511 };
const FREE: TokenRates = { input: 0, cacheRead: 0, cacheWrite5m: 0, output: 0 };
/** The prompt from which on the large model is dearer. */
const LONG_TOKENS = 300;

/** Models as asked for: the name that each is priced under, null = it has no price. */
const PRICED = { 'm-small': 'm-small', 'vendor/m-large': 'm-large', 'm-free': 'm-free', odd: null } as const;
type AskedModel = keyof typeof PRICED;
const ASKED_MODELS = Object.keys(PRICED) as [AskedModel, ...AskedModel[]];

const CARDS: Readonly<Record<string, RateCard>> = {
  'm-free': makeCard('m-free', [{ above: -1, rates: FREE }]),
  'm-small': makeCard('m-small', [{ above: -1, rates: SMALL }]),
  'm-large': makeCard('m-large', [
    { above: -1, rates: LARGE },
    { above: LONG_TOKENS, rates: LARGE_LONG },
  ]),
};

function makeCard(model: string, tiers: RateCard['tiers']): RateCard {
  return {
    provider: PROVIDER,
    model,
    from: null,
    until: null,
    tiers,
    speeds: {},
    tierMultipliers: {},
    geoMultipliers: {},
    fees: {},
    contextWindow: 4_000,
    version: `${model}/1`,
    source: 'simulation',
  };
}

export function pricedAs(model: string): string | null {
  const bare = model.slice(model.lastIndexOf('/') + 1);
  return Object.hasOwn(CARDS, bare) ? bare : null;
}

export function cardFor(model: string): RateCard | null {
  return CARDS[pricedAs(model) ?? ''] ?? null;
}

/** Output tokens of one answer, of every model. */
export const OUTPUT_MAX = 500;

/** What a client asks for. */
export interface Request {
  readonly model: AskedModel;
  readonly demand: RequestDemand;
  /** Tokens of the prompt: what the provider's free counter says, if it has one. */
  readonly promptTokens: number;
  readonly isCountable: boolean;
}

export function drawRequest(dice: Dice): Request {
  const demand: RequestDemand = {
    ...NO_DEMAND,
    textBytes: dice.whole(1, 600),
    outputMax: dice.chance(0.1) ? null : dice.whole(1, dice.chance(0.2) ? OUTPUT_MAX + 100 : 300),
    cacheWrites: dice.chance(0.3) ? '5m' : 'none',
    work: dice.chance(0.03) ? { ...NO_WORK, unbounded: 'tools' } : NO_WORK,
  };
  const promptTokens = dice.chance(0.1) ? demand.textBytes : dice.whole(1, demand.textBytes);
  return { model: dice.pick(ASKED_MODELS), demand, promptTokens, isCountable: dice.chance(0.5) };
}

/** What the provider does for a call, if nothing stops it. */
interface Work {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly output: number;
}

function drawWork(dice: Dice, { demand, promptTokens }: Request, outputMax: number, passesBound: boolean): Work {
  const cacheRead = dice.chance(0.5) ? dice.whole(0, promptTokens) : 0;
  const cacheWrite5m = demand.cacheWrites === '5m' ? dice.whole(0, promptTokens - cacheRead) : 0;
  const most = dice.chance(0.2) ? outputMax : dice.whole(0, outputMax);
  const output = passesBound ? outputMax + dice.whole(1, outputMax) : most;
  return { input: promptTokens - cacheRead - cacheWrite5m, cacheRead, cacheWrite5m, output };
}

const NOTHING: CallAmounts = { usd: 0, inputTokens: 0, outputTokens: 0 };

/** One call at the provider, with the provider's own bill. */
export class ProvidedCall {
  /** It does more than its bound says: a mistake in what is known of its model, or work that nothing bounds. */
  readonly passesBound: boolean;
  /** Charged so far. Of a model without a price nobody knows what; it is 0 here. */
  bill: CallAmounts = NOTHING;
  readonly #request: Request;
  readonly #work: Work;
  #share = 0;

  /** @param outputMax what it was told to obey */
  constructor(dice: Dice, request: Request, outputMax: number, passesBound: boolean) {
    this.#request = request;
    this.passesBound = passesBound;
    this.#work = drawWork(dice, request, outputMax, passesBound);
  }

  /** Does more of it; 1 = all. */
  work(share: number): void {
    this.#share = Math.max(this.#share, share);
    const { input, cacheRead, cacheWrite5m } = this.#work;
    const outputTokens = Math.floor(this.#work.output * this.#share);
    this.bill = {
      usd: this.#cost(outputTokens),
      inputTokens: input + cacheRead + cacheWrite5m,
      outputTokens,
    };
  }

  /** Refused it: an error status, nothing is charged. */
  refuse(): void {
    this.bill = NOTHING;
  }

  /** As the answer reports it. */
  usage(outputTokens = this.#work.output): Usage {
    const { input, cacheRead, cacheWrite5m } = this.#work;
    const tokens = { input, cacheRead, cacheWrite5m, output: outputTokens };
    const promptTokens = input + cacheRead + cacheWrite5m;
    return { inferences: [{ model: null, tokens, promptTokens }], uses: {}, thinking: 0, terms: NO_TERMS };
  }

  /** nano-USD, a half up: the provider's own arithmetic. */
  #cost(outputTokens: number): number {
    const name = PRICED[this.#request.model];
    if (name === null) return 0;
    const { input, cacheRead, cacheWrite5m } = this.#work;
    const isLong = input + cacheRead + cacheWrite5m > LONG_TOKENS;
    const rates = { 'm-small': SMALL, 'm-large': isLong ? LARGE_LONG : LARGE, 'm-free': FREE }[name];
    const of = (rate: number | undefined, count: number): number => (rate ?? 0) * count;
    const pico =
      of(rates.input, input) +
      of(rates.cacheRead, cacheRead) +
      of(rates.cacheWrite5m, cacheWrite5m) +
      of(rates.output, outputTokens);
    return Math.floor((pico + 500) / 1_000);
  }
}
