import type { ContractedCall } from '../domain/pricing/contract.ts';
import type { ResolveCard } from '../domain/pricing/pricing.ts';
import type { PriceBook } from './price-book.ts';

/** Prices of one call. Both are the same function where the workspace has no contract. */
export interface CallPrices {
  /** Prices of lists, and custom ones. */
  readonly list: ResolveCard;
  /** Prices that the call pays. */
  readonly contracted: ResolveCard;
}

/** Returns the prices at the start of a call. */
export function callPrices(
  prices: Pick<PriceBook, 'resolve' | 'contracts'>,
  call: ContractedCall & { readonly startedAt: number },
  priceProvider: string,
): CallPrices {
  const { workspaceId, startedAt } = call;
  const list: ResolveCard = (model) => prices.resolve(workspaceId, priceProvider, model, startedAt);
  if (!prices.contracts.has(workspaceId)) return { list, contracted: list };
  return { list, contracted: (model) => prices.contracts.at(call, model, list(model), startedAt) };
}
