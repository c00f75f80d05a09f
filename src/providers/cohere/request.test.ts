import { describe, expect, test } from 'vitest';
import { boundCall } from '../../domain/limits/cost-bound.ts';
import { createPriceBook } from '../../prices/price-book.ts';
import { requestBounds } from '../contract/request-contract.ts';
import { readBody } from '../contract/read-body.ts';
import { cohere } from './cohere.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const MODEL = 'command-r7b-12-2024';
const prompt = (...content: object[]) => ({ model: MODEL, messages: [{ role: 'user', content }] });
const text = { type: 'text', text: 'Hello' };
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo' } };
const unknownPart = { type: 'hologram', hologram: {} };

requestBounds(cohere, '/v2/chat', {
  dearTool: { ...prompt(text), tools: [{ type: 'web_search' }] },
  picture: prompt(text, picture),
  unknownPart: prompt(text, unknownPart),
});

const EMBED = 'embed-v4.0';
requestBounds(cohere, '/v2/embed', {
  dearTool: { model: EMBED, texts: ['Hello'], connectors: [{ id: 'web-search' }] },
  picture: { model: EMBED, inputs: [{ content: [text, picture] }] },
  unknownPart: { model: EMBED, inputs: [{ content: [text, unknownPart] }] },
});

const bound = (address: string, body: { readonly model: string; readonly [name: string]: unknown }) => {
  const cards = createPriceBook().between('ws', 'cohere', body.model, NOW, NOW);
  const { demand } = readBody(`cohere/v2/${address}`, body);
  return { ...boundCall(demand, [{ cards, outputMax: 4_000 }], { geo: null, tier: null }), demand };
};

describe('a chat', () => {
  test('with documents and results of tools is bounded by its bytes', () => {
    const document = { type: 'document', document: { id: '1', data: { text: 'The \n weather is "fine".' } } };
    const body = {
      model: MODEL,
      max_tokens: 100,
      documents: [{ data: { text: 'A document' } }],
      messages: [
        { role: 'user', content: 'Hello' },
        {
          role: 'assistant',
          tool_plan: 'I ask.',
          tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: '1', content: [document] },
      ],
    };
    const { unbounded, demand, hold } = bound('chat', body);
    expect(unbounded).toBeNull();
    expect(demand.beyondBody).toBe(false);
    expect(demand.textBytes).toBeGreaterThan(JSON.stringify(body).length);
    expect(hold.outputTokens).toBe(100);
  });

  test('with a model that thinks is held with thinking beyond the maximum', () => {
    const body = { max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
    expect(bound('chat', { ...body, model: 'command-a-reasoning-08-2025' }).hold.outputTokens).toBe(100 + 81_920);
    expect(bound('chat', { ...body, model: 'command-a-03-2025' }).hold.outputTokens).toBe(100);
  });
});

test('embeddings of texts are bounded by their bytes, each picture by a window', () => {
  const texts = { model: EMBED, texts: ['Hello', 'there'], input_type: 'search_query' };
  expect(bound('embed', texts).hold).toMatchObject({ inputTokens: JSON.stringify(texts).length, outputTokens: 0 });
  const pictures = { model: EMBED, inputs: [{ content: [text, picture] }, { content: [picture] }] };
  expect(bound('embed', pictures).hold.inputTokens).toBeGreaterThanOrEqual(2 * 128_000);
});

test('an order of documents is bounded by searches, or by tokens of each document with the query', () => {
  const body = { query: 'Hello', documents: ['a', 'b', 'c'] };
  expect(bound('rerank', { ...body, model: 'rerank-v4.0-pro' }).hold.usd).toBe(2_500_000);
  const { hold } = bound('rerank', { ...body, model: 'rerank-v5.0-pro' });
  expect(hold.inputTokens).toBeGreaterThanOrEqual(JSON.stringify(body).length + 3 * '"Hello"'.length);
});

test.each(['/v1/chat', '/v1/embed', '/v1/rerank'])(
  '%s of the older version is refused with the newer paths',
  (path) => {
    expect(cohere.route('POST', path)).toMatchObject({
      kind: 'none',
      status: 404,
      reason: expect.stringContaining(
        "Version 1 of Cohere's API is not supported. Served paths: POST /v2/chat",
      ) as string,
    });
  },
);
