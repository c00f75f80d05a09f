import type { TokenCounts, Usage, UseCounts } from '../../src/domain/usage/usage.ts';

/** One answer of the provider, as it truly was. */
export interface ClaudeAnswer {
  readonly id: string;
  readonly requestId: string | null;
  readonly model: string;
  readonly at: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly write5m: number;
  readonly write1h: number;
  readonly thinking: number;
  readonly webSearches: number;
  readonly fast: boolean;
  readonly geo: string;
  /** Usage beside the top level: of the advisor's model, or of a compaction. */
  readonly beside: { readonly type: 'advisor_message' | 'compaction'; readonly model: string | null } | null;
}

/** The usage that stands in a row, with the output as far as it was known then. */
export function usageField(answer: ClaudeAnswer, output = answer.output): Record<string, unknown> {
  const { input, cacheRead, write5m, write1h, beside: unproxied } = answer;
  const own = {
    type: 'message',
    model: null,
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: write5m + write1h,
    cache_creation: { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h },
  };
  return {
    input_tokens: input,
    cache_creation_input_tokens: write5m + write1h,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h },
    output_tokens: output,
    output_tokens_details: { thinking_tokens: Math.min(answer.thinking, output) },
    service_tier: 'standard',
    speed: answer.fast ? 'fast' : 'standard',
    inference_geo: answer.geo,
    server_tool_use: { web_search_requests: answer.webSearches, web_fetch_requests: 0 },
    iterations: unproxied === null ? [own] : [own, { ...BESIDE, type: unproxied.type, model: unproxied.model }],
  };
}

const BESIDE = {
  input_tokens: 812,
  output_tokens: 77,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
};

/** What a reader of the files must come to. */
export function trueUsage(answer: ClaudeAnswer): Usage {
  const { input, cacheRead, write5m, write1h, output, webSearches, beside: unproxied, geo } = answer;
  const prompt = input + cacheRead + write5m + write1h;
  const tokens = withoutZeros({ input, cacheRead, cacheWrite5m: write5m, cacheWrite1h: write1h, output });
  const extra = { model: unproxied?.model ?? null, tokens: { input: 812, output: 77 }, promptTokens: 812 };
  return {
    inferences: [{ model: null, tokens, promptTokens: prompt }, ...(unproxied === null ? [] : [extra])],
    uses: withoutZeros({ webSearch: webSearches }),
    thinking: Math.min(answer.thinking, output),
    terms: { tier: 'standard', speed: answer.fast ? 'fast' : 'standard', geo },
  };
}

function withoutZeros<Counts extends TokenCounts | UseCounts>(counts: Counts): Counts {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Counts;
}
