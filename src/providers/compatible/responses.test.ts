import { describe, expect, test } from 'vitest';
import type { RequestDemand } from '../../domain/limits/demand.ts';
import { answerHead, replay, sse } from '../contract/replay.ts';
import { readBody, spliced } from '../contract/read-body.ts';

const demand = (id: string, more: object): RequestDemand =>
  readBody(`${id}/v1/responses`, { model: 'some-model', input: 'Hi', ...more }).demand;
const unbounded = (id: string, more: object): string | null => demand(id, more).work.unbounded;

describe('a response of a compatible provider', () => {
  test('is bounded by its output maximum, and its tools by what a template makes of them', () => {
    const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: { city: {} } } }];
    const plain = demand('groq', { max_output_tokens: 50 });
    expect(plain).toMatchObject({ outputMax: 50, work: { unbounded: null }, pinTier: null });
    const withTools = demand('groq', { max_output_tokens: 50, tools });
    expect(withTools.work.unbounded).toBeNull();
    expect(withTools.textBytes - plain.textBytes).toBeGreaterThan(JSON.stringify({ tools }).length);
  });

  test('never counts its prompt by a path that only OpenAI has', () => {
    const read = (id: string) => readBody(`${id}/v1/responses`, { model: 'gpt-5.4', input: 'Hi' });
    expect([read('openai').counter === null, read('xai').counter === null]).toEqual([false, true]);
  });

  test.each<[string, string, object]>([
    ['a tool that runs at the provider', 'xai', { tools: [{ type: 'web_search' }], max_tool_calls: 3 }],
    ['a tool of another server', 'openrouter', { tools: [{ type: 'mcp', server_url: 'https://a.example' }] }],
    ['plugins', 'openrouter', { plugins: [{ id: 'web' }] }],
    ['an unknown field', 'groq', { nobody_knows: {} }],
    [
      'a file',
      'openrouter',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a.example' }] }] },
    ],
    ['an unknown part', 'vllm', { input: [{ role: 'user', content: [{ type: 'video' }] }] }],
    ['a choice of endpoints that is no maximum price', 'vercel', { providerOptions: { gateway: {} } }],
  ])('has no bound with %s', (_name, id, more) => {
    expect(unbounded(id, more)).not.toBeNull();
    expect(demand(id, more).work.hasUnlistedFee).toBe(true);
  });

  test('may come from any model with a preset', () => {
    expect(demand('openrouter', { preset: 'mine' })).toMatchObject({
      anyModel: true,
      work: { unbounded: expect.any(String) },
    });
  });

  test('counts each model that may answer, and makes OpenRouter obey the listed price', () => {
    const body = { model: 'a/b', input: 'Hi', models: ['c/d'] };
    const facts = readBody('openrouter/v1/responses', body);
    expect(facts.demand).toMatchObject({ otherModels: ['c/d'], reruns: 1, hasEndpoints: true });
    const card = { tiers: [{ above: -1, rates: { input: 2_000_000, output: 8_000_000 } }], fees: {} };
    const models = [{ cards: [card], outputMax: null }] as unknown as NonNullable<
      Parameters<typeof facts.forward>[0]['models']
    >;
    const sent = JSON.parse(spliced(JSON.stringify(body), facts.forward({ outputMax: 9, tier: null, models })));
    expect(sent).toMatchObject({ max_output_tokens: 9, provider: { max_price: { prompt: 2, completion: 8 } } });
  });

  test('does not run in the background, where its usage comes later', () => {
    expect(() => unbounded('xai', { background: true })).toThrow('background');
  });

  test.each<[string, object, number]>([
    ['openrouter', { cost: 0.00125, is_byok: false }, 1_250_000],
    ['xai', { cost_in_usd_ticks: 37_756_000 }, 3_775_600],
  ])('of %s costs what its usage states, whole and as a stream', (id, cost, nano) => {
    const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120, ...cost };
    const response = { id: 'resp_1', model: 'm', status: 'completed', output: [], usage };
    const open = (type: string) => () =>
      readBody(`${id}/v1/responses`, { model: 'm', input: 'Hi' }).openReader(answerHead(type));
    const expected = {
      complete: true,
      usage: { statedCost: nano, inferences: [{ tokens: { input: 100, output: 20 } }] },
    };
    expect(replay(open('application/json'), JSON.stringify(response))).toMatchObject(expected);
    const stream = sse({ type: 'response.completed', response }, 'response.completed');
    expect(replay(open('text/event-stream'), stream)).toMatchObject(expected);
  });
});
