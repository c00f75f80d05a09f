import { hash } from 'node:crypto';
import type { ObservedCall } from '../domain/observed/observed-call.ts';
import { sessionText } from '../domain/sessions/local-call.ts';
import { nanoFromUsd, toObservedCall } from './observed.ts';
import {
  type AttributeValues,
  countAttribute,
  numberAttribute,
  countPresent,
  type TelemetryRecord,
  textAttribute,
} from './record.ts';

const EVENTS = new Set(['api_request', 'claude_code.api_request']);
const SPAN = 'claude_code.llm_request';

/** Returns true for a record of one answered request of Claude Code. */
export function isClaudeCodeCall({ signal, name, service, attributes }: TelemetryRecord): boolean {
  if (signal === 'span') return name === SPAN && attributes.get('success') !== false && attributes.has('output_tokens');
  if (!EVENTS.has(name)) return false;
  return name.startsWith('claude_code.') || service.startsWith('claude-code');
}

/**
 * Reads an `api_request` event or the span of a request. Neither says how long cache writes last nor how many web
 * searches there were; the event's cost includes both.
 */
export function readClaudeCodeCall(record: TelemetryRecord, tokenId: string): ObservedCall | null {
  const { attributes } = record;
  const duration = numberAttribute(attributes, 'duration_ms');
  const id = textAttribute(attributes, 'session.id');
  const isLog = record.signal === 'log';
  return toObservedCall(record, tokenId, {
    assistant: 'claude_code',
    provider: 'anthropic',
    model: textAttribute(attributes, 'model', 'gen_ai.request.model'),
    providerIds: [textAttribute(attributes, 'request_id', 'gen_ai.response.id')],
    session: id === null ? null : hash('sha256', sessionText('claude_code', id)),
    context: {
      agent: textAttribute(attributes, 'agent_id', 'agent.name'),
      parentAgent: textAttribute(attributes, 'parent_agent_id'),
      run: textAttribute(attributes, 'prompt.id'),
      requestClass: textAttribute(attributes, 'query_source'),
    },
    tokens: readClaudeTokens(attributes),
    terms: { speed: attributes.get('speed') === 'fast' ? 'fast' : 'standard' },
    // The event is written when the answer ends.
    ...(isLog && duration !== null && { startedAt: record.endedAt - Math.round(duration) }),
    statedCost: nanoFromUsd(numberAttribute(attributes, 'cost_usd')),
  });
}

function readClaudeTokens(
  attributes: AttributeValues,
): Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number> | null {
  const input = countPresent(attributes, 'input_tokens');
  const output = countPresent(attributes, 'output_tokens');
  const cacheRead = countAttribute(attributes, 'cache_read_tokens');
  const cacheWrite = countAttribute(attributes, 'cache_creation_tokens');
  if (input === null || output === null || cacheRead === null || cacheWrite === null) return null;
  return { input, output, cacheRead, cacheWrite };
}
