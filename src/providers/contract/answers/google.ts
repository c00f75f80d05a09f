import { type AnswerExamples, CANARY } from '../answer-contract.ts';
import { sse } from '../replay.ts';

const MODEL = '/v1beta/models/gemini-2.5-flash';
const REQUEST = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
const USAGE = {
  promptTokenCount: 1_000,
  cachedContentTokenCount: 600,
  candidatesTokenCount: 50,
  thoughtsTokenCount: 200,
  totalTokenCount: 1_250,
};
const BILLED = { tokens: { input: 400, cacheRead: 600, output: 250 }, promptTokens: 1_000 };
const ERROR = { error: { code: 503, message: CANARY, status: 'UNAVAILABLE' } };
const json = { path: `${MODEL}:generateContent`, request: REQUEST, contentType: 'application/json' };
const streamed = { path: `${MODEL}:streamGenerateContent`, request: REQUEST, contentType: 'text/event-stream' };

const geminiChunk = (more: object): object => ({
  candidates: [{ content: { role: 'model', parts: [{ text: CANARY }] }, index: 0, ...more }],
  modelVersion: 'gemini-2.5-flash',
  responseId: 'abc',
});
const LAST = { ...geminiChunk({ finishReason: 'STOP' }), usageMetadata: USAGE };

/** Gemini API reference, "GenerateContentResponse". */
export const GEMINI_GENERATE: AnswerExamples = {
  billsCache: true,
  whole: { ...json, answer: JSON.stringify(LAST), ...BILLED },
  stream: { ...streamed, answer: sse(geminiChunk({})) + sse(LAST), ...BILLED },
  errors: [
    { ...json, answer: JSON.stringify(ERROR), type: 'UNAVAILABLE' },
    { ...streamed, answer: sse(geminiChunk({})) + sse(ERROR), type: 'UNAVAILABLE' },
  ],
};
