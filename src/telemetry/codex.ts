import { hash } from 'node:crypto';
import type { ObservedCall } from '../domain/observed/observed-call.ts';
import { sessionText } from '../domain/sessions/local-call.ts';
import type { TokenCounts } from '../domain/usage/usage.ts';
import { toObservedCall } from './observed.ts';
import { type AttributeValues, countAttribute, type TelemetryRecord, textAttribute } from './record.ts';

/** Returns true for the event of a completed response of Codex. */
export function isCodexCall({ signal, name, attributes }: TelemetryRecord): boolean {
  return signal === 'log' && name === 'codex.sse_event' && attributes.get('event.kind') === 'response.completed';
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

/** Input includes what the cache had, and output includes reasoning. */
function readCodexTokens(attributes: AttributeValues): TokenCounts | null {
  const input = countAttribute(attributes, 'input_token_count');
  const output = countAttribute(attributes, 'output_token_count');
  const cacheRead = countAttribute(attributes, 'cached_token_count');
  if (input === null || output === null || cacheRead === null || cacheRead > input) return null;
  return { input: input - cacheRead, cacheRead, output };
}
