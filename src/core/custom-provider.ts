/** Stands where a provider's id does in an address: there the holder of a wrapped key sees what is left for it. */
export const OWN_LIMITS = 'limits';

/** An OpenAI-compatible provider that the operator added. */
export interface CustomProvider {
  readonly id: string;
  readonly name: string;
  /** With the path prefix that its clients write, usually `/v1`. */
  readonly url: string;
  /** Whose prices apply; null = only the user's own. */
  readonly priceProvider: string | null;
}
