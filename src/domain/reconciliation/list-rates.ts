import type { RateCard } from '../pricing/price.ts';
import { priceLines, type ResolveCard } from '../pricing/pricing.ts';
import type { ReportClass } from './provider-report.ts';
import { OUTPUT_CLASSES, PROMPT_CLASSES, TOKEN_CLASSES, type TokenClass, USE_CLASSES } from '../usage/usage.ts';
import { FEMTO_PER_PICO } from './exact-amounts.ts';

/** Terms of usage, in the words of their source; '' = ordinary. */
export interface RateTerms {
  readonly tier: string;
  readonly geo: string;
  readonly speed: string;
  /** Prompts are longer than this; 0 = short ones. */
  readonly above: number;
}

export type ListRate =
  | { readonly femto: bigint; readonly missing: null }
  /** A sentence that says what has no price. */
  | { readonly femto: null; readonly missing: string };

const TOKENS: ReadonlySet<string> = new Set(TOKEN_CLASSES);
const USES: ReadonlySet<string> = new Set(USE_CLASSES);

/** List prices of one day, each worked out once. */
export class ListRates {
  readonly #resolve: ResolveCard;
  readonly #known = new Map<string, Map<ReportClass, ListRate>>();

  constructor(resolve: ResolveCard) {
    this.#resolve = resolve;
  }

  cardOf(model: string | null): RateCard | null {
    return model === null ? null : this.#resolve(model);
  }

  /** femto-USD of one token, or one use, of a class. */
  of(model: string | null, terms: RateTerms, name: ReportClass): ListRate {
    return this.at(model, terms)(name);
  }

  /** The same for several classes on the same terms. */
  at(model: string | null, terms: RateTerms): (name: ReportClass) => ListRate {
    const key = `${terms.above} ${terms.tier} ${terms.geo} ${terms.speed} ${model}`;
    const rates = this.#known.get(key) ?? new Map<ReportClass, ListRate>();
    this.#known.set(key, rates);
    return (name) => {
      let rate = rates.get(name);
      if (!rate) rates.set(name, (rate = this.#work(model, terms, name)));
      return rate;
    };
  }

  #work(model: string | null, { tier, geo, speed, above }: RateTerms, name: ReportClass): ListRate {
    if (model === null) return { femto: null, missing: 'The report names no model.' };
    const isToken = TOKENS.has(name);
    if (!isToken && !USES.has(name)) return { femto: null, missing: `There is no price for the class ${name}.` };
    const one = { [name]: 1 };
    const inference = { model: null, tokens: one, promptTokens: above === 0 ? 0 : above + 1 };
    const usage = {
      inferences: isToken ? [inference] : [],
      uses: isToken ? {} : one,
      thinking: 0,
      terms: { tier: tier || null, geo: geo || null, speed: speed || null },
    };
    const { lines, missing } = priceLines(usage, model, this.#resolve, 0);
    const [line] = lines;
    if (!line) return { femto: null, missing: missing ?? `There is no price for the class ${name}.` };
    return { femto: (BigInt(line.amount.pico) * FEMTO_PER_PICO) / BigInt(line.amount.den), missing: null };
  }

  /** Returns the maximum cost of so many tokens in femto-USD, for all classes, lengths and terms. */
  boundOf(model: string | null, input: number, output: number): bigint {
    const card = this.cardOf(model);
    if (!card) return 0n;
    const rates = [...card.tiers.map((tier) => tier.rates), ...Object.values(card.speeds)];
    const highest = (names: readonly TokenClass[]): number =>
      Math.max(0, ...rates.flatMap((of) => names.map((name) => of[name] ?? 0)));
    const most = [card.tierMultipliers, card.geoMultipliers].map((all) =>
      Object.values(all).reduce((a, b) => (b.num * a.den > a.num * b.den ? b : a), { num: 1, den: 1 }),
    );
    const pico = BigInt(input) * BigInt(highest(PROMPT_CLASSES)) + BigInt(output) * BigInt(highest(OUTPUT_CLASSES));
    return most.reduce((sum, { num, den }) => (sum * BigInt(num)) / BigInt(den), pico * FEMTO_PER_PICO);
  }

  /** Prompts longer than `above`, up to `upTo`, are not all charged alike. */
  hangsOnLength(model: string | null, { above, speed }: RateTerms, upTo: number): boolean {
    if (speed !== '') return false;
    return this.cardOf(model)?.tiers.some((tier) => tier.above > above && tier.above < upTo) ?? false;
  }
}
