import type { Usage, UseCounts } from '../../domain/usage/usage.ts';
import { asCount, asObject, asWord } from '../../lib/json/values.ts';
import { plainUsage, requiredCount, withoutZeros } from '../answer-tally.ts';

/** Terms of an answer that its usage does not have. */
interface GeminiTerms {
  /** Service tier in the answer's headers. */
  readonly tierHeader: string | null;
  /** Geography that the location on Vertex AI decides; null = the Gemini API. */
  readonly geo: string | null;
}

/** Tiers of Vertex AI: Vertex AI API reference, `TrafficType`. */
const TRAFFIC_TIERS: ReadonlyMap<string, string> = new Map([
  ['on_demand', 'standard'],
  ['on_demand_priority', 'priority'],
  ['on_demand_flex', 'flex'],
]);

function readTrafficTier(metadata: Readonly<Record<string, unknown>>): string | null {
  const traffic = asWord(metadata['trafficType']);
  return asWord(metadata['serviceTier']) ?? (traffic && (TRAFFIC_TIERS.get(traffic) ?? traffic));
}

/**
 * Reads usage by the Google API reference, `UsageMetadata`: the prompt's count includes cached tokens, the candidates' count
 * excludes thinking, and tool results that became input are separate from the prompt. The total includes all. If it or
 * the prompt's count is absent, or it exceeds the parts, a part is missing and the usage is unknown.
 */
export function readGeminiUsage(
  metadata: Readonly<Record<string, unknown>>,
  uses: UseCounts,
  { tierHeader, geo }: GeminiTerms,
): Usage | null {
  const prompt = requiredCount(metadata['promptTokenCount']);
  const cached = Math.min(asCount(metadata['cachedContentTokenCount']), prompt);
  const toolUse = asCount(metadata['toolUsePromptTokenCount']);
  const thinking = asCount(metadata['thoughtsTokenCount']);
  const output = asCount(metadata['candidatesTokenCount']) + thinking;
  const total = requiredCount(metadata['totalTokenCount']);
  if (!(total <= prompt + toolUse + output)) return null;

  const cacheReadAudio = Math.min(sumModality(metadata['cacheTokensDetails'], 'AUDIO'), cached);
  const promptAudio = Math.max(0, sumModality(metadata['promptTokensDetails'], 'AUDIO') - cacheReadAudio);
  const toolAudio = Math.min(sumModality(metadata['toolUsePromptTokensDetails'], 'AUDIO'), toolUse);
  const inputAudio = Math.min(promptAudio, prompt - cached) + toolAudio;
  const outputImage = Math.min(sumModality(metadata['candidatesTokensDetails'], 'IMAGE'), output);
  const outputAudio = Math.min(sumModality(metadata['candidatesTokensDetails'], 'AUDIO'), output - outputImage);
  const tokens = withoutZeros({
    input: prompt - cached + toolUse - inputAudio,
    inputAudio,
    cacheRead: cached - cacheReadAudio,
    cacheReadAudio,
    output: output - outputImage - outputAudio,
    outputAudio,
    outputImage,
  });
  return plainUsage({
    inferences: [{ model: null, tokens, promptTokens: prompt }],
    uses,
    thinking,
    terms: { tier: readTrafficTier(metadata) ?? tierHeader, speed: null, geo },
  });
}

/** Sums the tokens of one modality in a list of `{modality, tokenCount}`. */
function sumModality(details: unknown, modality: string): number {
  if (!Array.isArray(details)) return 0;
  let sum = 0;
  for (const entry of details) {
    const fields = asObject(entry);
    if (fields?.['modality'] === modality) sum += asCount(fields['tokenCount']);
  }
  return sum;
}
