import { type AnswerExamples, CANARY } from '../answer-contract.ts';
import { typedEvent } from '../replay.ts';

const REQUEST = { model: 'command-r7b-12-2024', messages: [{ role: 'user', content: 'Hello' }] };
/** More tokens were read than are billed. */
const USAGE = {
  billed_units: { input_tokens: 4, output_tokens: 21 },
  tokens: { input_tokens: 498, output_tokens: 24 },
  cached_tokens: 480,
};
const BILLED = { tokens: { input: 4, output: 21 }, promptTokens: 4 };
const path = '/v2/chat';
const streamed = { path, request: { ...REQUEST, stream: true }, contentType: 'text/event-stream' };

const messageEnd = (delta: object): string => typedEvent({ type: 'message-end', id: 'c1', delta });
const START = [
  typedEvent({
    type: 'message-start',
    id: 'c1',
    delta: { message: { role: 'assistant', content: [], tool_calls: [] } },
  }),
  typedEvent({ type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } }),
  typedEvent({ type: 'content-delta', index: 0, delta: { message: { content: { text: CANARY } } } }),
  typedEvent({ type: 'content-end', index: 0 }),
].join('');

/** Cohere docs, "Chat" and "A Guide to Streaming Responses". */
export const COHERE_CHAT: AnswerExamples = {
  billsCache: false,
  whole: {
    path,
    request: REQUEST,
    contentType: 'application/json',
    answer: JSON.stringify({
      id: 'c1',
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text: CANARY }] },
      usage: USAGE,
    }),
    ...BILLED,
  },
  stream: { ...streamed, answer: START + messageEnd({ finish_reason: 'COMPLETE', usage: USAGE }), ...BILLED },
  errors: [{ ...streamed, answer: START + messageEnd({ error: CANARY, finish_reason: 'ERROR' }), type: 'ERROR' }],
};
