import { type SearchParameters, readText } from '../../shared/filter/usage-filter.ts';

export interface PricesAddress {
  readonly provider?: string;
  /** Part of a model's name. */
  readonly find?: string;
}

/** What stands in the address of this page. */
export function readPricesAddress(search: SearchParameters): PricesAddress {
  const provider = readText(search, 'provider');
  const find = readText(search, 'find');
  return { ...(provider !== undefined && { provider }), ...(find !== undefined && { find }) };
}
