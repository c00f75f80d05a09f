/** An OpenAI-compatible provider that the operator added. */
export interface CustomProvider {
  readonly id: string;
  readonly name: string;
  /** With the path prefix that its clients write, usually `/v1`. */
  readonly url: string;
  /** Whose prices apply; null = only the user's own. */
  readonly priceProvider: string | null;
}
