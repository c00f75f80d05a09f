import { type ResponseFacts, sseEvent } from './facts.ts';

/** Complete response of Anthropic's Messages API. */
export function anthropicMessage(facts: ResponseFacts): object {
  const content: object[] = [{ type: 'text', text: facts.pieces.join('') }];
  if (facts.tool) content.push({ type: 'tool_use', id: `toolu_${facts.id}`, ...facts.tool });
  return { ...head(facts), content, stop_reason: stopReason(facts), stop_sequence: null, ...anthropicUsage(facts, {}) };
}

/** Usage fields of a stream's first event. */
const EARLY_USAGE = { output_tokens: 1, server_tool_use: null, iterations: null };

/** The same response as a stream: usage starts in `message_start`, the output count is final in `message_delta`. */
export function anthropicEvents(facts: ResponseFacts): string[] {
  const start = { ...head(facts), content: [], stop_reason: null, stop_sequence: null };
  const events: object[] = [
    { type: 'message_start', message: { ...start, ...anthropicUsage(facts, EARLY_USAGE) } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    ...facts.pieces.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    ...toolEvents(facts),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(facts), stop_sequence: null },
      ...(facts.reportsUsage ? { usage: lateUsage(facts) } : {}),
    },
    { type: 'message_stop' },
  ];
  return events.map((event) => sseEvent((event as { type: string }).type, event));
}

export function anthropicModels(models: readonly string[]): object {
  const data = models.map((id) => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' }));
  return { data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

export function anthropicError(status: number, message: string, id: string): object {
  return { type: 'error', error: { type: ERROR_TYPES[status] ?? 'api_error', message }, request_id: `req_${id}` };
}

function head(facts: ResponseFacts): object {
  return { id: `msg_${facts.id}`, type: 'message', role: 'assistant', model: facts.model };
}

function stopReason(facts: ResponseFacts): string {
  return facts.tool ? 'tool_use' : 'end_turn';
}

function toolEvents({ tool, id }: ResponseFacts): object[] {
  if (!tool) return [];
  const block = { type: 'tool_use', id: `toolu_${id}`, name: tool.name, input: {} };
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) };
  return [
    { type: 'content_block_start', index: 1, content_block: block },
    { type: 'content_block_delta', index: 1, delta },
    { type: 'content_block_stop', index: 1 },
  ];
}

/** Returns usage fields of a stream's last event. */
function lateUsage({ tokens, searches, usageFields }: ResponseFacts): object {
  const { iterations } = usageFields;
  return { output_tokens: tokens.output, server_tool_use: toolUse(searches), ...(iterations ? { iterations } : {}) };
}

function toolUse(searches: number): object | null {
  return searches > 0 ? { web_search_requests: searches, web_fetch_requests: 0 } : null;
}

function anthropicUsage(
  { tokens, searches, tier, reportsUsage: tellsUsage, usageFields }: ResponseFacts,
  over: object,
): object {
  if (!tellsUsage) return {};
  return {
    usage: {
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      cache_read_input_tokens: tokens.cacheRead,
      cache_creation_input_tokens: tokens.cacheWrite5m + tokens.cacheWrite1h,
      cache_creation: {
        ephemeral_5m_input_tokens: tokens.cacheWrite5m,
        ephemeral_1h_input_tokens: tokens.cacheWrite1h,
      },
      server_tool_use: toolUse(searches),
      output_tokens_details: { thinking_tokens: tokens.thinking },
      service_tier: tier ?? 'standard',
      inference_geo: 'global',
      speed: 'standard',
      ...usageFields,
      ...over,
    },
  };
}
