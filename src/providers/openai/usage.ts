import type { Inference, TokenCounts, Usage, UseCounts } from '../../domain/usage/usage.ts';
import { asCount, asObject } from '../../lib/json/values.ts';
import type { WriteLifetime } from '../demand-tally.ts';
import { plainUsage, requiredCount, withoutZeros } from '../answer-tally.ts';

type UsageFields = Readonly<Record<string, unknown>>;

/** Counts that the three operations report under different names. */
interface CountedTokens {
  /** The whole prompt, including cache reads and writes. */
  readonly prompt: number;
  readonly output: number;
  readonly cached: number;
  readonly writes: number;
  readonly writes1h: number;
  readonly writes12h: number;
  readonly audioIn: number;
  readonly audioOut: number;
  readonly imageOut: number;
  readonly thinking: number;
}

/**
 * Reads `usage` of chat completions and embeddings (OpenAI API reference). OpenAI-compatible providers differ in two ways that
 * the fields show: some name cache reads elsewhere, some count reasoning separately from the output.
 * @param restIsOutput tokens of the total that no part names are thinking
 */
export function readChatUsage(
  fields: UsageFields,
  tier: string | null,
  lifetime: WriteLifetime = 'default',
  restIsOutput = false,
): Usage | null {
  const input = asObject(fields['prompt_tokens_details']) ?? {};
  const details = asObject(fields['completion_tokens_details']) ?? {};
  const prompt = requiredCount(fields['prompt_tokens']);
  const completion = readCompletion(fields, prompt);
  const thinking = asCount(details['reasoning_tokens'] ?? fields['reasoning_tokens']);
  const total = asCount(fields['total_tokens']);
  const named = completion + (total > prompt + completion ? thinking : 0);
  const output = restIsOutput ? Math.max(named, total - prompt) : named;
  // Audio charged by its length, and tokens that no part names, have no known price.
  if (asCount(fields['prompt_audio_seconds']) > 0 || total > prompt + output) return null;
  return buildUsage(
    {
      prompt,
      output,
      cached: asCount(input['cached_tokens'] ?? fields['prompt_cache_hit_tokens'] ?? fields['cached_tokens']),
      ...readWriteCounts(input, lifetime),
      audioIn: asCount(input['audio_tokens']),
      audioOut: asCount(details['audio_tokens']),
      imageOut: asCount(details['image_tokens']),
      thinking,
    },
    NO_TOOLS,
    tier,
  );
}

interface ToolUses {
  readonly known: UseCounts;
  /** Uses with an unknown fee; null = none. */
  readonly open: UseCounts | null;
}

const NO_TOOLS: ToolUses = { known: {}, open: null };

/**
 * Reads `usage` of responses (OpenAI API reference).
 * @param pictures separate usage of the model behind an image tool
 */
export function readResponseUsage(
  fields: UsageFields,
  uses: ToolUses,
  pictures: Inference | null,
  tier: string | null,
): Usage | null {
  const input = asObject(fields['input_tokens_details']) ?? {};
  const output = asObject(fields['output_tokens_details']) ?? {};
  const prompt = requiredCount(fields['input_tokens']);
  const written = requiredCount(fields['output_tokens']);
  if (asCount(fields['total_tokens']) > prompt + written) return null;
  const usage = buildUsage(
    {
      prompt,
      output: written,
      cached: asCount(input['cached_tokens']),
      ...readWriteCounts(input),
      audioIn: asCount(input['audio_tokens']),
      audioOut: asCount(output['audio_tokens']),
      imageOut: asCount(output['image_tokens']),
      thinking: asCount(output['reasoning_tokens']),
    },
    uses,
    tier,
  );
  if (usage === null || pictures === null) return usage;
  return plainUsage({ ...usage, inferences: [...usage.inferences, pictures] });
}

/** Reads the output tokens. Usage of embeddings has none, and its total is the prompt's. */
function readCompletion(fields: UsageFields, prompt: number): number {
  const reported = fields['completion_tokens'];
  return fields['total_tokens'] === prompt ? asCount(reported) : requiredCount(reported);
}

/** Reads the cache writes. Without details they have the lifetime that the request asks for, if it asks for one only. */
function readWriteCounts(
  input: UsageFields,
  lifetime: WriteLifetime = 'default',
): Pick<CountedTokens, 'writes' | 'writes1h' | 'writes12h'> {
  const details = asObject(input['cache_write_tokens_details']);
  const writes = asCount(input['cache_write_tokens']);
  if (details !== null) return { writes, writes1h: 0, writes12h: asCount(details['ttl_12h_tokens']) };
  if (lifetime === 'mixed' && writes > 0) return { writes: Number.NaN, writes1h: 0, writes12h: 0 };
  return { writes, writes1h: lifetime === '1h' ? writes : 0, writes12h: 0 };
}

function buildUsage(counted: CountedTokens, { known: uses, open }: ToolUses, tier: string | null): Usage | null {
  const { prompt, output, cached, writes, writes1h, thinking } = counted;
  const cacheWrite12h = Math.min(counted.writes12h, writes);
  const inputAudio = Math.min(counted.audioIn, Math.max(0, prompt - cached - writes));
  const outputAudio = Math.min(counted.audioOut, output);
  const outputImage = Math.min(counted.imageOut, output - outputAudio);
  const tokens: TokenCounts = withoutZeros({
    // Negative if the parts exceed the whole; `plainUsage` then refuses it.
    input: prompt - cached - writes - inputAudio,
    inputAudio,
    cacheRead: cached,
    cacheWrite: writes - writes1h - cacheWrite12h,
    cacheWrite1h: writes1h,
    cacheWrite12h,
    output: output - outputAudio - outputImage,
    outputAudio,
    outputImage,
  });
  const terms = { tier, speed: null, geo: null };
  // The provider's own tools cause several passes, and only their sum is reported.
  const promptTokens = open !== null || Object.keys(uses).length > 0 ? null : prompt;
  const usage = plainUsage({ inferences: [{ model: null, tokens, promptTokens }], uses, thinking, terms });
  return usage === null || open === null ? usage : { ...usage, openUses: open };
}
