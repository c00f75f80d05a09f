import type { Usage, UseCounts } from '../../domain/usage/usage.ts';
import { asCount, asObject, asWord } from '../../lib/json/values.ts';
import { plainUsage, requiredCount, withoutZeros } from '../answer-tally.ts';

/**
 * Reads usage by the Google API reference, `UsageMetadata`: the prompt's count includes cached tokens, the candidates' count
 * excludes thinking, and tool results that became input are separate from the prompt. The total includes all. If it or
 * the prompt's count is absent, or it exceeds the parts, a part is missing and the usage is unknown.
 * @param tierHeader service tier in the answer's headers
 */
export function readGeminiUsage(
  metadata: Readonly<Record<string, unknown>>,
  uses: UseCounts,
  tierHeader: string | null,
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
    terms: { tier: asWord(metadata['serviceTier']) ?? tierHeader, speed: null, geo: null },
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
