import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { answerHead, readFacts, sse } from './contract/replay.ts';
import { buildProviders } from './providers.ts';
import type { UsageReader } from './provider.ts';

const MEBIBYTE = 1_048_576;
const PIECE_BYTES = 65_536;
const TEXT_BYTES = 10 * MEBIBYTE;
/** Far below the answer, far above what a reader needs. */
const KEPT_BYTES_MAX = MEBIBYTE;

const providers = buildProviders({ urls: {}, custom: [] });
const open = (id: string, path: string, body: object, contentType: string): UsageReader => {
  const provider = providers.get(id);
  if (!provider) throw new Error(id);
  return readFacts(provider, path, { model: 'm', ...body }).openReader(answerHead(contentType));
};

const MARK = '@@@';
const chat = { id: 'c', model: 'm', choices: [{ index: 0, delta: { content: MARK }, message: { content: MARK } }] };
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const response = {
  id: 'r',
  model: 'm',
  output: [{ type: 'message', content: [{ type: 'output_text', text: MARK }] }],
  usage: { input_tokens: 1, output_tokens: 2 },
};

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

function heldBytes(): number {
  if (typeof collect !== 'function') throw new Error('there is no way to collect garbage here');
  // Buffers found dead by the first collection are freed beside it; the second waits for that.
  for (let pass = 0; pass < 2; pass++) Reflect.apply(collect, undefined, []);
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Pushes the template with its mark replaced by ten megabytes, in pieces that are each made anew. */
function pushLarge(reader: UsageReader, template: string): void {
  const [head = '', tail = ''] = template.split(MARK, 2);
  const rest = template.slice(head.length + MARK.length + tail.length).replaceAll(MARK, '');
  const push = (text: string): void => {
    reader.push(new TextEncoder().encode(text));
    reader.takeOutput?.();
  };
  push(head);
  for (let sent = 0; sent < TEXT_BYTES; sent += PIECE_BYTES) push('x\\n'.repeat(PIECE_BYTES / 3));
  push(tail + rest);
}

test.each<[string, UsageReader, string]>([
  [
    'an Anthropic message',
    open('anthropic', '', {}, 'application/json'),
    JSON.stringify({ content: [{ type: 'text', text: MARK }], usage: { input_tokens: 1, output_tokens: 2 } }),
  ],
  [
    'an Anthropic event',
    open('anthropic', '', {}, 'text/event-stream'),
    sse({ type: 'content_block_delta', delta: { text: MARK } }) +
      sse({ type: 'message_delta', usage: { input_tokens: 1, output_tokens: 2 } }),
  ],
  [
    'a Google answer',
    open('google', '', {}, 'application/json'),
    JSON.stringify({
      candidates: [{ content: { parts: [{ inlineData: { data: MARK } }] } }],
      usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 },
    }),
  ],
  [
    'a Google array',
    open('google', '/v1/models/m:streamGenerateContent', {}, 'application/json'),
    JSON.stringify([
      { candidates: [{ content: { parts: [{ text: MARK }] } }] },
      { usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 } },
    ]),
  ],
  [
    'a chat completion',
    open('openai', '/chat/completions', {}, 'application/json'),
    JSON.stringify({ ...chat, usage }),
  ],
  [
    'a chat event that may have to be cut',
    open('openai', '/chat/completions', { stream: true }, 'text/event-stream'),
    sse(chat) + sse({ choices: [], usage }),
  ],
  ['a response', open('openai', '/responses', {}, 'application/json'), JSON.stringify(response)],
  [
    'embeddings',
    open('openai', '/embeddings', {}, 'application/json'),
    JSON.stringify({ data: [{ embedding: MARK }], usage }),
  ],
])('%s of ten megabytes is read in constant memory', (_name, reader, template) => {
  const before = heldBytes();
  pushLarge(reader, template);
  const kept = heldBytes() - before;
  reader.end();
  expect(reader.usage()).not.toBeNull();
  expect(kept).toBeLessThan(KEPT_BYTES_MAX);
});

test('a thousand open streams need little memory', () => {
  const head = new TextEncoder().encode(
    sse({ type: 'message_start', message: { id: 'msg_1', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } }),
  );
  const half = new TextEncoder().encode(
    'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"torn',
  );
  const before = heldBytes();
  const readers = Array.from({ length: 1_000 }, () => open('anthropic', '', { stream: true }, 'text/event-stream'));
  for (const reader of readers) {
    reader.push(head);
    reader.push(half);
  }
  expect((heldBytes() - before) / readers.length).toBeLessThan(8_192);
  expect(readers.every((reader) => reader.early)).toBe(true);
});
