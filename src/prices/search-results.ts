import table from './search-results.json' with { type: 'json' };

const TOKENS = new Map(table.rows.map(({ provider, tokens }) => [provider, tokens]));

/**
 * Returns the tokens that the results of one web search are assumed to add to the prompt; null = there is no assumption,
 * so only the context window bounds them. No provider publishes a maximum, and no field of a request sets one. The list
 * has the date and source of each figure. A call that costs more than its bound raises an alert.
 */
export function searchResultTokens(priceProvider: string): number | null {
  return TOKENS.get(priceProvider) ?? null;
}
