import { type SearchText, textIn } from '../../shared/filter/usage-filter.ts';

export interface PricesAddress {
  readonly provider?: string;
  /** Part of a model's name. */
  readonly find?: string;
}

/** What stands in the address of this page. */
export function readPrices(search: SearchText): PricesAddress {
  const provider = textIn(search, 'provider');
  const find = textIn(search, 'find');
  return { ...(provider !== undefined && { provider }), ...(find !== undefined && { find }) };
}
