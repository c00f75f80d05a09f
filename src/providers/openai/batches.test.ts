import { describe, expect, test } from 'vitest';
import type { BatchFile, BatchLine, BatchRequest, FileBatchRoute } from '../provider.ts';
import { openai } from './openai.ts';

const bytes = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const BATCH = { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' };
const REQUEST = { model: 'gpt-5.4', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
const LINE = { custom_id: '1', method: 'POST', url: '/v1/chat/completions', body: REQUEST };
const route = openai.route('POST', '/v1/batches') as FileBatchRoute;

/** Reads a line in as many slices as it takes. */
function readLine(file: BatchFile, line: Uint8Array): BatchRequest {
  const slices = file.readLine(line);
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

test('a batch names the file of its requests', () => {
  const file = route.readFile(bytes({ ...BATCH, metadata: { team: 'a' } }));
  expect(file.path).toBe('/v1/files/file-1/content');
  const facts = { model: 'gpt-5.4', demand: { outputMax: 100 } };
  expect(readLine(file, bytes(LINE))).toMatchObject({ name: 'Request 1 ("1")', facts });
});

test.each([
  ['no file', { ...BATCH, input_file_id: undefined }, /input_file_id/],
  ['a path as file', { ...BATCH, input_file_id: 'file-1/../x' }, /input_file_id/],
  ['an endpoint that says too little', { ...BATCH, endpoint: '/v1/moderations' }, /endpoint/],
  ['another window', { ...BATCH, completion_window: '1h' }, /24h/],
  ['an unknown member', { ...BATCH, priority: 1 }, /not know "priority"/],
  ['a member twice', '{"input_file_id":"file-1","input_file_id":"file-2"}', /twice/],
  ['two documents', '{}{}', /after its end/],
  ['no JSON', '-', /not the JSON/],
])('a batch with %s is refused', (_name, body, why) => {
  expect(() => route.readFile(bytes(body))).toThrow(why);
});

test.each([
  ['another endpoint', { ...LINE, url: '/v1/responses' }, /endpoint/],
  ['another method', { ...LINE, method: 'GET' }, /POST/],
  ['no body', { ...LINE, body: undefined }, /body/],
  ['an unknown member', { ...LINE, priority: 1 }, /not know "priority"/],
  ['a second body', JSON.stringify(LINE).replace('"body":', '"body":{},"body":'), /twice/],
  ['a second request', `${JSON.stringify(LINE)}\r${JSON.stringify(LINE)}`, /after its end/],
  ['a body that breaks off', JSON.stringify(LINE).slice(0, -3), /^Request 1: The batch ends inside/],
  ['no id', { ...LINE, custom_id: undefined }, /^Request 1 needs "custom_id"/],
  ['an id that is no text', { ...LINE, custom_id: 7 }, /^Request 1 needs "custom_id"/],
  [
    'a text as maximum',
    { ...LINE, body: { ...REQUEST, max_tokens: 'a lot' } },
    /^Request 1 \("1"\): "max_tokens" must be/,
  ],
  ['a maximum of 0', { ...LINE, body: { ...REQUEST, max_completion_tokens: 0 } }, /"max_completion_tokens" must be/],
  ['half a token as maximum', { ...LINE, body: { ...REQUEST, max_tokens: 0.5 } }, /"max_tokens" must be/],
  ['a stream', { ...LINE, body: { ...REQUEST, stream: true } }, /^Request 1 \("1"\): "stream" may not be true/],
  ['no model', { ...LINE, body: {} }, /^Request 1 \("1"\): .*"model"/],
])('a line with %s is refused', (_name, line, why) => {
  expect(() => readLine(route.readFile(bytes(BATCH)), bytes(line))).toThrow(why);
});

test.each(['1', 'a'.repeat(100)])('a line with the id of an earlier one is refused: %s', (id) => {
  const file = route.readFile(bytes(BATCH));
  const line = (named: string) => bytes({ ...LINE, custom_id: named });
  readLine(file, line(id));
  readLine(file, line(`${id}b`));
  expect(() => readLine(file, line(id))).toThrow(
    `Request 3 ("${id.slice(0, 64)}") has the "custom_id" of an earlier request.`,
  );
});

test('a long line gives way to other calls', () => {
  const content = 'a'.repeat(7 * 1_048_576);
  const line = { ...LINE, body: { ...REQUEST, messages: [{ role: 'user', content }] } };
  const slices = route.readFile(bytes(BATCH)).readLine(bytes(line));
  let turns = 0;
  while (!slices.next().done) turns++;
  expect(turns).toBeGreaterThanOrEqual(6);
});

test.each([{ max_tokens: undefined }, { max_tokens: null }, { stream: false }])(
  'a line without a maximum, or without a stream, is read: %j',
  (changes) => {
    const line = bytes({ ...LINE, body: { ...REQUEST, ...changes } });
    expect(readLine(route.readFile(bytes(BATCH)), line)).toMatchObject({ name: 'Request 1 ("1")' });
  },
);

test('a maximum of a response that is no count is refused', () => {
  const file = route.readFile(bytes({ ...BATCH, endpoint: '/v1/responses' }));
  const body = { model: 'gpt-5.4', input: 'Hi', max_output_tokens: -1 };
  expect(() => readLine(file, bytes({ ...LINE, url: '/v1/responses', body }))).toThrow('"max_output_tokens" must be');
});

test('a line that would run in the background is refused', () => {
  const responses = { ...BATCH, endpoint: '/v1/responses' };
  const body = { model: 'gpt-5.4', input: 'Hi', background: true };
  const line = { ...LINE, url: '/v1/responses', body };
  expect(() => readLine(route.readFile(bytes(responses)), bytes(line))).toThrow('background');
});

describe('the answer that a batch was created', () => {
  test('has its id, and no usage, although it may name one', () => {
    const reader = route.openReader({ status: 200, contentType: 'application/json', headers: {} });
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    reader.push(bytes({ id: 'batch_1', object: 'batch', status: 'validating', usage }));
    reader.end();
    expect([reader.complete, reader.responseId, reader.usage()]).toEqual([true, 'batch_1', null]);
  });
});

test.each([
  ['validating', null],
  ['in_progress', null],
  ['finalizing', null],
  ['cancelling', null],
  ['completed', 2],
  ['failed', 2],
  ['expired', 2],
  ['cancelled', 2],
])('a batch that is %s has ended or not', (status, billed) => {
  const counts = { total: 3, completed: 2, failed: 1 };
  const batch = { status, output_file_id: 'file-out', error_file_id: 'file-err', request_counts: counts };
  const resultPaths = ['/v1/files/file-out/content', '/v1/files/file-err/content'];
  expect(openai.batches?.readEnd(batch)).toEqual(billed === null ? null : { resultPaths, billed });
});

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const answered = (body: object): object => ({ custom_id: '1', response: { status_code: 200, body }, error: null });
const tokensOf = (line: BatchLine | undefined): unknown =>
  typeof line === 'object' ? line.usage.inferences[0]?.tokens : line;

test.each([
  ['a chat', answered({ object: 'chat.completion', model: 'gpt-5.4', choices: [], usage }), { input: 10, output: 5 }],
  [
    'an embedding',
    answered({ object: 'list', data: [], model: 'm', usage: { prompt_tokens: 7, total_tokens: 7 } }),
    { input: 7 },
  ],
  [
    'a response',
    answered({
      object: 'response',
      model: 'gpt-5.4',
      status: 'completed',
      output: [],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    }),
    { input: 10, output: 5 },
  ],
  ['an answer without usage', answered({ object: 'chat.completion', model: 'gpt-5.4', choices: [] }), 'unknown'],
  ['an error of the provider', { response: { status_code: 400, body: { error: {} } }, error: null }, 'errored'],
  ['a request that expired', { response: null, error: { code: 'batch_expired' } }, 'expired'],
  ['a request that was cancelled', { response: null, error: { code: 'batch_cancelled' } }, 'canceled'],
  ['another error', { response: null, error: { code: 'server_error' } }, 'errored'],
  ['nothing', { custom_id: '1' }, 'unknown'],
])('the result of %s is read', (_name, line, expected) => {
  expect(tokensOf(openai.batches?.readResult(line))).toEqual(expected);
});
