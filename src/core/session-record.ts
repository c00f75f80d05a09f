/**
 * What one session used of one model within one UTC hour, as it is uploaded. All token classes are apart: `inputTokens`
 * are uncached ones. What the specification does not name is optional and a number, or a word from a closed list.
 */
export interface SessionRecord {
  /** SHA-256 of `sessionText`, hex. */
  readonly sessionId: string;
  /** HMAC-SHA256 of the project's folder under a secret of the installation, hex. */
  readonly projectId: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
  /** ISO 8601: the first use within the hour. */
  readonly timestamp: string;
  readonly calls?: number;
  /** The part of `cacheCreationTokens` that is kept for an hour. */
  readonly cacheCreation1hTokens?: number;
  readonly webSearches?: number;
  /** Parts of the tokens above that are charged in another way, each part its own. */
  readonly shares?: readonly RecordShare[];
  /** What rounding each call to nano-USD added to the exact sum, in pico-USD: so both sides come to the same cost. */
  readonly roundingPico?: number;
}

/** Tokens of the calls that were made on these terms, or with prompts of this length. */
export interface RecordShare {
  readonly speed?: 'fast';
  readonly tier?: 'batch' | 'flex' | 'priority';
  readonly geo?: 'us';
  /** A prompt length (tokens) of the same length tier as the calls'; absent = the shortest. */
  readonly promptTokens?: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheCreation1hTokens?: number;
}
