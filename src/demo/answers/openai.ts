import { type ResponseFacts, sseEvent } from './facts.ts';

const CREATED = 1_790_000_000;

/** Complete response of the Chat Completions API. */
export function openaiChat(facts: ResponseFacts): object {
  const message = { role: 'assistant', content: facts.pieces.join(''), ...toolCalls(facts) };
  return {
    ...chatHead(facts, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: facts.tool ? 'tool_calls' : 'stop' }],
    ...(facts.reportsUsage ? { usage: chatUsage(facts) } : {}),
  };
}

/** The same response as a stream, with a usage chunk only on request. */
export function openaiChatEvents(facts: ResponseFacts, includeUsage: boolean): string[] {
  const head = chatHead(facts, 'chat.completion.chunk');
  const usage = includeUsage ? { usage: null } : {};
  const chunk = (delta: object, finish: string | null) =>
    sseEvent(null, { ...head, choices: [{ index: 0, delta, finish_reason: finish }], ...usage });
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...facts.pieces.map((content) => chunk({ content }, null)),
    ...(facts.tool ? [chunk(toolCalls(facts), null)] : []),
    chunk({}, facts.tool ? 'tool_calls' : 'stop'),
    ...(includeUsage && facts.reportsUsage ? [sseEvent(null, { ...head, choices: [], usage: chatUsage(facts) })] : []),
    sseEvent(null, '[DONE]'),
  ];
}

/** Complete response of the Responses API. */
export function openaiResponse(facts: ResponseFacts): object {
  const output: object[] = [
    ...searchCalls(facts),
    messageItem(facts, 'completed', [outputText(facts.pieces.join(''))]),
  ];
  if (facts.tool) output.push(functionCall(facts));
  return {
    ...responseHead(facts, 'completed'),
    output,
    ...(facts.reportsUsage ? { usage: responseUsage(facts) } : {}),
  };
}

interface ResponseEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function openaiResponseEvents(facts: ResponseFacts): string[] {
  const created = { ...responseHead(facts, 'in_progress'), output: [], usage: null };
  const events = [
    { type: 'response.created', response: created },
    ...messageEvents(facts),
    ...(facts.tool ? callEvents(facts) : []),
    { type: 'response.completed', response: openaiResponse(facts) },
  ];
  return events.map((event, index) => sseEvent(event.type, { ...event, sequence_number: index }));
}

/** Clients show the text only of items and parts that were added before. */
function messageEvents(facts: ResponseFacts): ResponseEvent[] {
  const text = facts.pieces.join('');
  const output_index = facts.searches;
  const place = { item_id: `msg_${facts.id}`, output_index, content_index: 0 };
  return [
    { type: 'response.output_item.added', output_index, item: messageItem(facts, 'in_progress', []) },
    { type: 'response.content_part.added', ...place, part: outputText('') },
    ...facts.pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: outputText(text) },
    { type: 'response.output_item.done', output_index, item: messageItem(facts, 'completed', [outputText(text)]) },
  ];
}

function callEvents(facts: ResponseFacts): ResponseEvent[] {
  const item = functionCall(facts);
  const output_index = facts.searches + 1;
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', arguments: '' } },
    { type: 'response.output_item.done', output_index, item },
  ];
}

function messageItem({ id }: ResponseFacts, status: string, content: readonly object[]): object {
  return { type: 'message', id: `msg_${id}`, role: 'assistant', status, content };
}

function outputText(text: string): object {
  return { type: 'output_text', text, annotations: [] };
}

export function openaiEmbeddings(facts: ResponseFacts, base64: boolean): object {
  const vector = new Float32Array([0.25, -0.5, 0.125]);
  const embedding = base64 ? Buffer.from(vector.buffer).toString('base64') : [...vector];
  const { input } = facts.tokens;
  return {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding }],
    model: facts.model,
    ...(facts.reportsUsage ? { usage: { prompt_tokens: input, total_tokens: input, ...facts.usageFields } } : {}),
  };
}

export function openaiModels(models: readonly string[]): object {
  return { object: 'list', data: models.map((id) => ({ id, object: 'model', created: CREATED, owned_by: 'system' })) };
}

const ERROR_CODES: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' };

export function openaiError(status: number, message: string): object {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: null, code: ERROR_CODES[status] ?? null } };
}

function chatHead({ id, model, tier }: ResponseFacts, object: string): object {
  return { id: `chatcmpl-${id}`, object, created: CREATED, model, service_tier: tier ?? 'default' };
}

function responseHead({ id, model, tier }: ResponseFacts, status: string): object {
  return { id: `resp_${id}`, object: 'response', created_at: CREATED, status, model, service_tier: tier ?? 'default' };
}

function toolCalls({ tool, id }: ResponseFacts): object {
  if (!tool) return {};
  const call = { name: tool.name, arguments: JSON.stringify(tool.input) };
  return { tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: call }] };
}

function searchCalls({ searches, id }: ResponseFacts): object[] {
  return Array.from({ length: searches }, (_, at) => ({
    type: 'web_search_call',
    id: `ws_${id}_${at}`,
    status: 'completed',
    action: { type: 'search', query: `query ${at + 1}` },
  }));
}

function functionCall({ tool, id }: ResponseFacts): object {
  const call = { name: tool?.name, arguments: JSON.stringify(tool?.input) };
  return { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, status: 'completed', ...call };
}

function promptUsage({ tokens }: ResponseFacts): { prompt: number; details: object } {
  const written = tokens.cacheWrite5m + tokens.cacheWrite1h;
  const details = { cached_tokens: tokens.cacheRead, cache_write_tokens: written };
  return { prompt: tokens.input + tokens.cacheRead + written, details };
}

function chatUsage(facts: ResponseFacts): object {
  const { prompt, details } = promptUsage(facts);
  const { output, thinking } = facts.tokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { ...details, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: thinking, audio_tokens: 0 },
    ...facts.usageFields,
  };
}

function responseUsage(facts: ResponseFacts): object {
  const { prompt, details } = promptUsage(facts);
  const { output, thinking } = facts.tokens;
  return {
    input_tokens: prompt,
    input_tokens_details: details,
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: thinking },
    total_tokens: prompt + output,
    ...facts.usageFields,
  };
}
