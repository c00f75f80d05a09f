/** Content of a sandbox answer; each provider's file renders it in that provider's shapes. */
export interface ResponseFacts {
  /** Makes response and request ids; letters and digits. */
  readonly id: string;
  /** The model that answers. */
  readonly model: string;
  /** The generated text; a stream sends one piece per event. */
  readonly pieces: readonly string[];
  /** A tool the answer calls after its text. */
  readonly tool: { readonly name: string; readonly input: unknown } | null;
  readonly tokens: ResponseTokens;
  /** Web searches that the provider made for the answer. */
  readonly searches: number;
  /** Service tier that the answer names; null = the provider's usual word. */
  readonly tier: string | null;
  /** False: the answer has no usage. */
  readonly reportsUsage: boolean;
  /** Fields laid over the usage object, in the provider's own words. */
  readonly usageFields: Readonly<Record<string, unknown>>;
}

/** Whole tokens in classes that do not overlap, except that `output` includes `thinking`. */
export interface ResponseTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly thinking: number;
}

/** One server-sent event; OpenAI's chat and Google's streams have no event names. */
export function sseEvent(name: string | null, data: unknown): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return name === null ? `data: ${text}\n\n` : `event: ${name}\ndata: ${text}\n\n`;
}
