import type { Usage, UseCounts } from '../../domain/usage/usage.ts';
import { asCount, asObject, asWord, plainUsage, requiredCount, withoutZeros } from '../answer-tally.ts';

/**
 * Google API reference, `UsageMetadata`: the prompt's count includes what came from the cache, the candidates' count
 * leaves thinking out, and tool results that became input stand apart from the prompt. The total holds them all: where it is
 * absent, or more than what is told apart, some part is missing and the usage is unknown.
 * @param tierHeader what the answer's header says of the service tier
 */
export function readGeminiUsage(
  metadata: Readonly<Record<string, unknown>>,
  uses: UseCounts,
  tierHeader: string | null,
): Usage | null {
  const prompt = asCount(metadata['promptTokenCount']);
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
    terms: { tier: asWord(metadata['serviceTier']) ?? tierHeader, speed: null, geo: null },
  });
}

/** Tokens of one modality in a list of `{modality, tokenCount}`. */
function sumModality(details: unknown, modality: string): number {
  if (!Array.isArray(details)) return 0;
  let sum = 0;
  for (const entry of details) {
    const fields = asObject(entry);
    if (fields?.['modality'] === modality) sum += asCount(fields['tokenCount']);
  }
  return sum;
}
