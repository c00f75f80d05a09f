import { type AnswerExamples, CANARY } from '../answer-contract.ts';
import { sse, typedEvent } from '../replay.ts';

const MODEL = 'gpt-5-mini';
const ERROR = { message: CANARY, type: CANARY, param: null, code: 'server_overloaded' };
const BILLED = { tokens: { input: 176, cacheRead: 1_024, output: 300 }, promptTokens: 1_200 };
const json = 'application/json';
const events = 'text/event-stream';

const CHAT = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] };
const CHAT_USAGE = {
  prompt_tokens: 1_200,
  completion_tokens: 300,
  total_tokens: 1_500,
  prompt_tokens_details: { cached_tokens: 1_024 },
  completion_tokens_details: { reasoning_tokens: 200 },
};
const chatChunk = (more: object): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: MODEL,
  ...more,
});
const CHAT_START =
  sse(chatChunk({ choices: [{ index: 0, delta: { role: 'assistant', content: CANARY }, finish_reason: null }] })) +
  sse(chatChunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
const chat = { path: '/chat/completions', request: CHAT, contentType: json };
const chatStream = { ...chat, request: { ...CHAT, stream: true }, contentType: events };

/** OpenAI docs, "Chat Completions": also the answers of compatible providers. */
export const CHAT_COMPLETIONS: AnswerExamples = {
  billsCache: true,
  whole: {
    ...chat,
    answer: JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content: CANARY }, finish_reason: 'stop' }],
      usage: CHAT_USAGE,
    }),
    ...BILLED,
  },
  stream: {
    ...chatStream,
    answer: CHAT_START + sse(chatChunk({ choices: [], usage: CHAT_USAGE })) + sse('[DONE]'),
    ...BILLED,
  },
  errors: [
    { ...chat, answer: JSON.stringify({ error: ERROR }), type: 'server_overloaded' },
    { ...chatStream, answer: CHAT_START + sse({ error: ERROR }), type: 'server_overloaded' },
  ],
};

const RESPONSE = { id: 'resp_1', object: 'response', model: MODEL };
const RESPONSE_USAGE = {
  input_tokens: 1_200,
  input_tokens_details: { cached_tokens: 1_024 },
  output_tokens: 300,
  output_tokens_details: { reasoning_tokens: 200 },
  total_tokens: 1_500,
};
const OUTPUT = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: CANARY }] }];
const COMPLETED = { ...RESPONSE, status: 'completed', output: OUTPUT, usage: RESPONSE_USAGE };
const RESPONSE_START =
  typedEvent({ type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [], usage: null } }) +
  typedEvent({
    type: 'response.output_text.delta',
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta: CANARY,
  });
const response = { path: '/responses', request: { model: MODEL, input: 'Hello' }, contentType: json };
const responseStream = { ...response, request: { ...response.request, stream: true }, contentType: events };

/** OpenAI docs, "Responses" and "Streaming events". */
export const OPENAI_RESPONSES: AnswerExamples = {
  billsCache: true,
  whole: { ...response, answer: JSON.stringify(COMPLETED), ...BILLED },
  stream: {
    ...responseStream,
    answer: RESPONSE_START + typedEvent({ type: 'response.completed', response: COMPLETED }),
    ...BILLED,
  },
  errors: [
    { ...response, answer: JSON.stringify({ error: ERROR }), type: 'server_overloaded' },
    {
      ...responseStream,
      answer: RESPONSE_START + typedEvent({ type: 'error', code: 'server_overloaded', message: CANARY, param: null }),
      type: 'server_overloaded',
    },
    {
      ...responseStream,
      answer:
        RESPONSE_START +
        typedEvent({ type: 'response.failed', response: { ...RESPONSE, status: 'failed', error: ERROR } }),
      type: 'server_overloaded',
    },
  ],
};
