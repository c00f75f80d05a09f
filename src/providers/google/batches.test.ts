import { expect, test } from 'vitest';
import type { BatchRequest, ListBatchRoute } from '../provider.ts';
import { google } from './google.ts';

const route = google.route('POST', '/v1beta/models/gemini-2.5-flash:batchGenerateContent') as ListBatchRoute;
const REQUEST = { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 50 } };

function read(body: unknown): (BatchRequest | undefined)[] {
  return [...route.readLines(new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)))];
}

const withRequests = (...requests: object[]) => ({ batch: { inputConfig: { requests: { requests } } } });

test('each request of a batch is read, in both spellings of its members', () => {
  const each = { request: { model: 'models/gemini-2.5-flash', ...REQUEST }, metadata: { key: 'a' } };
  const snake = {
    batch: { display_name: 'n', input_config: { requests: { requests: [each, { request: REQUEST }] } } },
  };
  const facts = { model: 'gemini-2.5-flash', demand: { outputMax: 50 } };
  for (const body of [withRequests(each, { request: REQUEST }), snake])
    expect(read(body)).toMatchObject([
      { name: 'Request 1', facts },
      { name: 'Request 2', facts },
    ]);
});

test.each([
  ['a file', { batch: { inputConfig: { fileName: 'files/a' } } }, /in a file/],
  ['another model in a request', withRequests({ request: { model: 'models/gemini-2.5-pro' } }), /^Request 1: "model"/],
  ['no request', withRequests({ metadata: {} }), /^Request 1 needs "request"/],
  ['an unknown member', withRequests({ request: REQUEST, more: 1 }), /^Request 1: .*"more"/],
  ['an input twice', '{"batch":{"inputConfig":{},"input_config":{}}}', /"inputConfig" occurs twice/],
  ['an open end', '{"batch":{"inputConfig":{"requests":{"requests":[', /lacks a value|not the JSON/],
])('a batch with %s is refused', (_name, body, why) => {
  expect(() => read(body)).toThrow(why);
});

const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
const answer = {
  response: { candidates: [{ finishReason: 'STOP' }], usageMetadata, modelVersion: 'gemini-2.5-flash' },
};

test.each([
  ['PENDING', null],
  ['RUNNING', null],
  ['SUCCEEDED', 2],
  ['CANCELLED', 2],
  ['EXPIRED', 2],
  ['FAILED', 2],
])('a batch that is %s has ended or not', (state, billed) => {
  const batchStats = { requestCount: '3', successfulRequestCount: '2', failedRequestCount: '1' };
  const output = { inlinedResponses: { inlinedResponses: [answer] } };
  const ended = { resultPaths: [], results: [answer], billed };
  const isEnded = billed !== null;
  for (const operation of [
    { metadata: { state: `BATCH_STATE_${state}`, batchStats }, response: output },
    { metadata: { state: `BATCH_STATE_${state}`, batchStats, output } },
  ])
    expect(google.batches?.readEnd(operation)).toEqual(isEnded ? ended : null);
});

test('a batch without successful requests bills none, and one without counts says nothing', () => {
  const metadata = { state: 'BATCH_STATE_CANCELLED', batchStats: { requestCount: '3' } };
  expect(google.batches?.readEnd({ metadata })?.billed).toBe(0);
  expect(google.batches?.readEnd({ metadata: { state: 'BATCH_STATE_FAILED' } })?.billed).toBeNaN();
});

test('results are read', () => {
  const readLine = (line: unknown) => google.batches?.readResult(line);
  expect(readLine(answer)).toMatchObject({
    model: 'gemini-2.5-flash',
    usage: { inferences: [{ tokens: { input: 10, output: 5 } }] },
  });
  expect(readLine({ error: { code: 3 } })).toBe('errored');
  expect(readLine({ response: { candidates: [] } })).toBe('unknown');
});

test('a batch is read and cancelled by its name, and neither listed nor deleted', () => {
  const kind = (method: string, path: string) => google.route(method, path).kind;
  expect(google.route('GET', '/batches/abc-1')).toMatchObject({ kind: 'free', upstreamPath: '/v1beta/batches/abc-1' });
  expect(kind('POST', '/v1/batches/abc-1:cancel')).toBe('free');
  expect(kind('DELETE', '/v1/batches/abc-1')).toBe('none');
  expect(kind('GET', '/v1/batches')).toBe('none');
  expect(google.batches?.path('batches/../files')).toBeNull();
});
