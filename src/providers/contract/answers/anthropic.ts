import { type AnswerExamples, CANARY } from '../answer-contract.ts';
import { typedEvent } from '../replay.ts';

const path = '/v1/messages';
const REQUEST = { model: 'claude-opus-5', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] };
const INPUT = {
  input_tokens: 12,
  cache_read_input_tokens: 8_000,
  cache_creation_input_tokens: 2_000,
  cache_creation: { ephemeral_5m_input_tokens: 1_500, ephemeral_1h_input_tokens: 500 },
};
const BILLED = {
  tokens: { input: 12, cacheRead: 8_000, cacheWrite5m: 1_500, cacheWrite1h: 500, output: 30 },
  promptTokens: 10_012,
};
const MESSAGE = { id: 'msg_01', type: 'message', role: 'assistant', model: 'claude-opus-5' };
const ERROR = { type: 'error', error: { type: 'overloaded_error', message: CANARY }, request_id: 'req_01' };
const json = { path, request: REQUEST, contentType: 'application/json' };
const streamed = { path, request: { ...REQUEST, stream: true }, contentType: 'text/event-stream' };

const START = [
  typedEvent({
    type: 'message_start',
    message: { ...MESSAGE, content: [], stop_reason: null, usage: { ...INPUT, output_tokens: 1 } },
  }),
  typedEvent({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  typedEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: CANARY } }),
  typedEvent({ type: 'content_block_stop', index: 0 }),
].join('');

/** Claude docs, "Messages", "Streaming messages" and "Errors". */
export const ANTHROPIC_MESSAGES: AnswerExamples = {
  billsCache: true,
  whole: {
    ...json,
    answer: JSON.stringify({
      ...MESSAGE,
      content: [{ type: 'text', text: CANARY }],
      stop_reason: 'end_turn',
      usage: { ...INPUT, output_tokens: 30 },
    }),
    ...BILLED,
  },
  stream: {
    ...streamed,
    answer:
      START +
      typedEvent({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 30 } }) +
      typedEvent({ type: 'message_stop' }),
    ...BILLED,
  },
  errors: [
    { ...json, answer: JSON.stringify(ERROR), type: 'overloaded_error' },
    { ...streamed, answer: START + typedEvent(ERROR), type: 'overloaded_error' },
  ],
};
