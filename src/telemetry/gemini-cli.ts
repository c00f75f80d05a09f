import { hash } from 'node:crypto';
import type { ObservedCall } from '../domain/observed/observed-call.ts';
import { sessionText } from '../domain/sessions/local-call.ts';
import type { TokenCounts } from '../domain/usage/usage.ts';
import { toObservedCall } from './observed.ts';
import {
  type AttributeValues,
  countAttribute,
  numberAttribute,
  countPresent,
  type TelemetryRecord,
  textAttribute,
} from './record.ts';

/** Returns true for the event of an answered request of Gemini CLI. */
export function isGeminiCliCall({ signal, name }: TelemetryRecord): boolean {
  return signal === 'log' && name === 'gemini_cli.api_response';
}

/** Reads an answered request. The event has no id of it. */
export function readGeminiCliCall(record: TelemetryRecord, tokenId: string): ObservedCall | null {
  const { attributes } = record;
  const duration = numberAttribute(attributes, 'duration_ms');
  const id = textAttribute(attributes, 'session.id');
  return toObservedCall(record, tokenId, {
    assistant: 'gemini_cli',
    provider: 'google',
    model: textAttribute(attributes, 'model'),
    providerIds: [],
    session: id === null ? null : hash('sha256', sessionText('gemini_cli', id)),
    context: { run: textAttribute(attributes, 'prompt_id') },
    tokens: readGeminiTokens(attributes),
    thinking: countAttribute(attributes, 'thoughts_token_count') ?? 0,
    ...(duration !== null && { startedAt: record.endedAt - Math.round(duration) }),
  });
}

/** Input includes what the cache had. Thoughts and tool prompts are counted separately. */
function readGeminiTokens(attributes: AttributeValues): TokenCounts | null {
  const input = countPresent(attributes, 'input_token_count');
  const output = countPresent(attributes, 'output_token_count');
  const cacheRead = countAttribute(attributes, 'cached_content_token_count');
  const thoughts = countAttribute(attributes, 'thoughts_token_count');
  const tools = countAttribute(attributes, 'tool_token_count');
  if (input === null || output === null || cacheRead === null || thoughts === null || tools === null) return null;
  if (cacheRead > input) return null;
  return { input: input - cacheRead + tools, cacheRead, output: output + thoughts };
}
