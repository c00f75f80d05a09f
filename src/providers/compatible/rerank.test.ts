import { describe, expect, test } from 'vitest';
import { TollbookError } from '../../domain/errors.ts';
import { answerHead, replay } from '../contract/replay.ts';
import { readBody } from '../contract/read-body.ts';

const COHERE = 'rerank-v3.5';
const rerank = (more: object, id = 'together') =>
  readBody(`${id}/v1/rerank`, { model: COHERE, query: 'rain', documents: ['a', 'b'], top_n: 1, ...more });
const read = (body: object, more = {}, id?: string) =>
  replay(() => rerank(more, id).openReader(answerHead('application/json')), JSON.stringify(body));

describe('the cost bound of a rerank call', () => {
  test.each<[string, readonly unknown[], number]>([
    ['a hundred short documents are two searches, because each may be two parts', Array(100).fill('a'), 2],
    ['one document', ['a'], 1],
    ['no document', [], 1],
    ['a long document counts as several', ['x'.repeat(100_000)], 5],
    ['objects', [{ text: 'a' }, { text: 'b' }], 1],
  ])('%s', (_name, documents, searches) => {
    expect(rerank({ documents }).demand).toMatchObject({
      outputMax: 0,
      work: { uses: { rerankSearch: searches }, unbounded: null },
    });
  });

  test('by tokens has the query with each document', () => {
    const { demand } = rerank({ model: 'jina-reranker-v3', documents: ['a', 'b', 'c'] });
    const body = JSON.stringify({ model: 'jina-reranker-v3', query: 'rain', documents: ['a', 'b', 'c'], top_n: 1 });
    expect(demand).toMatchObject({ textBytes: body.length + 3 * '"rain"'.length, outputMax: 0, work: { uses: {} } });
  });

  test.each([
    ['a long query', { query: 'x'.repeat(300) }],
    ['an unknown field', { search: true }],
  ])('does not exist with %s', (_name, more) => {
    expect(rerank(more).demand.work.unbounded).not.toBeNull();
  });

  test.each([
    ['no documents', undefined],
    ['a text', 'a'],
    ['too many bytes', ['x'.repeat(9_000_000)]],
  ])('refuses %s', (_name, documents) => {
    expect(() => rerank({ documents })).toThrow(TollbookError);
  });
});

describe('the usage of a rerank call', () => {
  test('is its searches, as Cohere and Together report them', () => {
    const meta = { billed_units: { search_units: 3 }, tokens: { input_tokens: 900 } };
    expect(read({ id: 'r_1', results: [], meta })).toMatchObject({
      complete: true,
      responseId: 'r_1',
      usage: { uses: { rerankSearch: 3 }, inferences: [] },
    });
  });

  test.each([[{ total_tokens: 42 }], [{ prompt_tokens: 42, total_tokens: 42 }]])('is its tokens: %j', (usage) => {
    expect(read({ model: 'm', results: [], usage }).usage).toMatchObject({ inferences: [{ tokens: { input: 42 } }] });
  });

  test('is unknown where the answer says nothing, and stated by LiteLLM in a header', () => {
    expect(read({ results: [] }).usage).toBeNull();
    const open = () =>
      rerank({}, 'litellm').openReader(answerHead('application/json', { 'x-litellm-response-cost': '0.002' }));
    const meta = { billed_units: { search_units: 1 } };
    expect(replay(open, JSON.stringify({ results: [], meta })).usage).toMatchObject({ statedCost: 2_000_000 });
  });
});
