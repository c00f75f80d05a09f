import { hash } from 'node:crypto';
import type { ObservedCall } from '../domain/observed/observed-call.ts';
import { sessionText } from '../domain/sessions/local-call.ts';
import type { TokenCounts } from '../domain/usage/usage.ts';
import { toObservedCall } from './observed.ts';
import { type AttributeValues, countAttribute, countPresent, type TelemetryRecord, textAttribute } from './record.ts';

/** Returns true for the event with the usage of a completed response of Codex. Another event of it has only a duration. */
export function isCodexCall({ signal, name, attributes }: TelemetryRecord): boolean {
  const isCompleted = attributes.get('event.kind') === 'response.completed';
  return signal === 'log' && name === 'codex.sse_event' && isCompleted && attributes.has('input_token_count');
}

/** Reads a completed response. The event has no id of it. */
export function readCodexCall(record: TelemetryRecord, tokenId: string): ObservedCall | null {
  const { attributes } = record;
  const id = textAttribute(attributes, 'conversation.id');
  return toObservedCall(record, tokenId, {
    assistant: 'codex',
    provider: 'openai',
    model: textAttribute(attributes, 'model', 'slug'),
    providerIds: [],
    session: id === null ? null : hash('sha256', sessionText('codex', id)),
    tokens: readCodexTokens(attributes),
    thinking: countAttribute(attributes, 'reasoning_token_count') ?? 0,
  });
}

/** Input includes cache reads and writes, and output includes reasoning. */
function readCodexTokens(attributes: AttributeValues): TokenCounts | null {
  const input = countPresent(attributes, 'input_token_count');
  const output = countPresent(attributes, 'output_token_count');
  const cacheRead = countAttribute(attributes, 'cached_token_count');
  const cacheWrite = countAttribute(attributes, 'cache_write_token_count');
  if (input === null || output === null || cacheRead === null || cacheWrite === null) return null;
  if (cacheRead + cacheWrite > input) return null;
  return { input: input - cacheRead - cacheWrite, cacheRead, cacheWrite, output };
}
