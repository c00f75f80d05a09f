import type { CallBegin } from '../usage/call.ts';
import { FEE_CLASSES, type FeeClass } from '../usage/usage.ts';
import type { PriceMultiplier, RateCard, TokenRates } from './price.ts';

/** Calls that a contract is about; null = any. */
export interface ContractScope {
  /** Id of a provider. */
  readonly provider: string | null;
  /** Pattern of models: `*` matches any characters. */
  readonly model: string | null;
  readonly keyId: string | null;
  readonly tag: { readonly key: string; readonly value: string } | null;
}

/** Terms of a contract: a multiple of every listed price, or fixed rates and fees in place of listed ones. */
export type ContractTerms =
  | { readonly kind: 'multiplier'; readonly multiplier: PriceMultiplier }
  | {
      readonly kind: 'fixed';
      readonly rates: TokenRates;
      readonly fees: Partial<Record<FeeClass, number>>;
    };

/** Prices that a workspace agreed with a provider. A changed contract has another id. */
export interface PriceContract {
  readonly id: string;
  readonly workspaceId: string;
  readonly scope: ContractScope;
  /** Epoch ms from which (inclusive) and until which (exclusive) calls that begin pay its prices; null = open. */
  readonly from: number | null;
  readonly until: number | null;
  readonly terms: ContractTerms;
}

/** Facts of a call by which its contract is found. */
export type ContractedCall = Pick<CallBegin, 'workspaceId' | 'provider' | 'keyId' | 'tags'>;

/** Marks the version of a card that a contract made from a listed one. */
const MARK = '*';

/**
 * Returns the contracted price of a model; null = a multiple of no price.
 *
 * A multiplier applies to token rates as an exact fraction, next to those of service tiers and geographies. Fees are
 * rounded half up to whole pico-USD. Fixed rates hold for prompts of every length; rates of other speeds stay as listed.
 */
export function contractedCard(card: RateCard | null, model: string, contract: PriceContract): RateCard | null {
  const { terms, id } = contract;
  if (terms.kind === 'fixed') return fixedCard(card, model, contract, terms);
  if (!card) return null;
  return {
    ...card,
    contractMultiplier: terms.multiplier,
    fees: multiplyFees(card.fees, terms.multiplier),
    version: `${card.version}${MARK}${id}`,
  };
}

/** Reports whether a contract changed the listed price of this version. */
export function isContractVersion(version: string): boolean {
  return version.includes(`${MARK}contract_`);
}

function fixedCard(
  card: RateCard | null,
  model: string,
  { id, scope }: PriceContract,
  { rates, fees }: Extract<ContractTerms, { kind: 'fixed' }>,
): RateCard {
  const listed = card ?? unlistedCard(scope.provider ?? '', model);
  return {
    ...listed,
    tiers: listed.tiers.map((tier) => ({ ...tier, rates: { ...tier.rates, ...rates } })),
    fees: { ...listed.fees, ...fees },
    version: `${listed.version}${MARK}${id}`,
  };
}

/** The price of a model that no list has. */
function unlistedCard(provider: string, model: string): RateCard {
  return {
    provider,
    model,
    from: null,
    until: null,
    tiers: [{ above: -1, rates: {} }],
    speeds: {},
    tierMultipliers: {},
    geoMultipliers: {},
    fees: {},
    contextWindow: null,
    version: 'unlisted/',
    source: 'user',
  };
}

function multiplyFees(fees: RateCard['fees'], { num, den }: PriceMultiplier): RateCard['fees'] {
  const contracted: Partial<Record<FeeClass, number>> = {};
  for (const name of FEE_CLASSES) {
    const fee = fees[name];
    if (fee !== undefined)
      contracted[name] = Number((BigInt(fee) * BigInt(num) * 2n + BigInt(den)) / (2n * BigInt(den)));
  }
  return contracted;
}

/** Reports whether a contract is about a call, apart from its model and time. */
export function concernsCall({ scope }: PriceContract, { provider, keyId, tags }: ContractedCall): boolean {
  if (scope.provider !== null && scope.provider !== provider) return false;
  if (scope.keyId !== null && scope.keyId !== keyId) return false;
  return scope.tag === null || (Object.hasOwn(tags, scope.tag.key) && tags[scope.tag.key] === scope.tag.value);
}

export function isInForce({ from, until }: PriceContract, at: number): boolean {
  return (from === null || from <= at) && (until === null || at < until);
}

/**
 * Compares contracts that are about the same call: the first one applies, alone. One for a key comes before one for a
 * tag, then those for a model, then those for a provider; of two alike the one that starts later, or was set later.
 */
export function byPrecedence(a: PriceContract, b: PriceContract): number {
  return (
    narrowness(b.scope) - narrowness(a.scope) ||
    (b.from ?? 0) - (a.from ?? 0) ||
    (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
  );
}

function narrowness({ keyId, tag, model, provider }: ContractScope): number {
  return (keyId === null ? 0 : 8) + (tag === null ? 0 : 4) + (model === null ? 0 : 2) + (provider === null ? 0 : 1);
}
