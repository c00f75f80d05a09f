import { describe, expect, test } from 'vitest';
import { TollbookError } from '../../core/errors.ts';
import { boundsOf } from '../../core/hold.ts';
import { priceUsage } from '../../core/pricing.ts';
import type { UseCounts } from '../../core/usage.ts';
import { createPriceBook } from '../../prices/price-book.ts';
import { answerHead, factsOf, replay } from '../contract/replay.ts';
import { openai } from './openai.ts';

const provider = openai;
const prices = createPriceBook();
const NOW = Date.parse('2026-11-22T00:00:00Z');
const ITEMS: Readonly<Record<string, readonly object[]>> = {
  code_interpreter: [{ type: 'code_interpreter_call', container_id: 'cntr_1' }],
  shell: [{ type: 'shell_call', environment: { type: 'container_reference', container_id: 'cntr_1' } }],
  web_search: [{ type: 'web_search_call', action: { type: 'search' } }],
};

function ask(tools: unknown, model = 'gpt-5.4'): ReturnType<typeof factsOf> {
  return factsOf(provider, '/responses', { model, input: 'Hi', max_output_tokens: 16, max_tool_calls: 1, tools });
}

function held(facts: ReturnType<typeof factsOf>): UseCounts | null {
  const { work } = facts.demand;
  return work.unbounded === null ? work.uses : null;
}

function booked(facts: ReturnType<typeof factsOf>, output: readonly object[]): UseCounts | undefined {
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const answer = { id: 'resp_1', object: 'response', status: 'completed', model: facts.model, output, usage };
  return replay(() => facts.openReader(answerHead('application/json')), JSON.stringify(answer)).usage?.uses;
}

const container = (size: unknown) => ({ type: 'code_interpreter', container: { type: 'auto', memory_limit: size } });
const hosted = (size: unknown) => ({ type: 'shell', environment: { type: 'container_auto', memory_limit: size } });

describe('a container is held and booked by the size that the request asks for', () => {
  test.each<[string, object, string]>([
    ['no size', { type: 'code_interpreter', container: { type: 'auto' } }, 'codeInterpreter'],
    ['a null size', container(null), 'codeInterpreter'],
    ['1 GB', container('1g'), 'codeInterpreter'],
    ['4 GB', container('4g'), 'codeInterpreter4g'],
    ['16 GB', container('16g'), 'codeInterpreter16g'],
    ['64 GB', container('64g'), 'codeInterpreter64g'],
    ['a size in other letters', container('64G'), 'codeInterpreter64g'],
    ['an unknown size', container('256g'), 'codeInterpreter64g'],
    ['a size that is a number', container(4), 'codeInterpreter64g'],
    ['a size in a list', container(['1g']), 'codeInterpreter64g'],
    ['an empty size', container(''), 'codeInterpreter64g'],
    ['a size that is false', container(false), 'codeInterpreter64g'],
    ['a container that is false', { type: 'code_interpreter', container: false }, 'codeInterpreter64g'],
    ['a size too long to read', container(`1g${' '.repeat(9_000)}`), 'codeInterpreter64g'],
    ['a container by its id', { type: 'code_interpreter', container: 'cntr_1' }, 'codeInterpreter64g'],
    [
      'a container of an unknown kind',
      { type: 'code_interpreter', container: { type: 'reserved', memory_limit: '1g' } },
      'codeInterpreter64g',
    ],
    ['a shell of no size', { type: 'shell', environment: { type: 'container_auto' } }, 'codeInterpreter'],
    ['a shell of 16 GB', hosted('16g'), 'codeInterpreter16g'],
    ['a shell of an unknown size', hosted('2t'), 'codeInterpreter64g'],
    [
      'a shell in a container by its id',
      { type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_1' } },
      'codeInterpreter64g',
    ],
  ])('%s', (_name, tool, use) => {
    const facts = ask([tool]);
    expect(held(facts)).toEqual({ [use]: 1 });
    expect(booked(facts, ITEMS[(tool as { type: string }).type] ?? [])).toEqual({ [use]: 1 });
  });

  test('of two tools of one kind the dearest counts, whatever their order', () => {
    for (const tools of [
      [container('64g'), container('1g')],
      [container('1g'), container('64g')],
    ]) {
      expect(held(ask(tools))).toEqual({ codeInterpreter64g: 1 });
      expect(booked(ask(tools), ITEMS['code_interpreter'] ?? [])).toEqual({ codeInterpreter64g: 1 });
    }
  });

  test('a tool in a namespace, and one that an item brings, count too', () => {
    expect(held(ask([{ type: 'namespace', tools: [container('64g')] }]))).toEqual({ codeInterpreter64g: 1 });
    const input = [{ type: 'additional_tools', role: 'developer', tools: [hosted('64g')] }];
    const facts = factsOf(provider, '/responses', { model: 'gpt-5.4', input, max_tool_calls: 1 });
    expect(held(facts)).toEqual({ codeInterpreter64g: 1 });
  });

  test('a container in a list is refused', () => {
    expect(() => ask([{ type: 'code_interpreter', container: [{ type: 'auto' }] }])).toThrow(TollbookError);
  });

  test('a container is held even where no tool may be called', () => {
    const body = { model: 'gpt-5.4', input: 'Hi', max_tool_calls: 0, tools: [container('64g')] };
    expect(held(factsOf(provider, '/responses', body))).toEqual({ codeInterpreter64g: 1 });
  });

  test('a tool that only a stored prompt can have brought is booked at its dearest', () => {
    const facts = factsOf(provider, '/responses', { model: 'gpt-5.4', prompt: { id: 'pmpt_1' } });
    expect(booked(facts, [...(ITEMS['code_interpreter'] ?? []), ...(ITEMS['web_search'] ?? [])])).toEqual({
      codeInterpreter64g: 1,
      webSearchPreview: 1,
    });
  });
});

describe('a search', () => {
  test.each([
    ['web_search', 'webSearch'],
    ['web_search_2025_08_26', 'webSearch'],
    ['web_search_preview', 'webSearchPreview'],
    ['web_search_preview_2025_03_11', 'webSearchPreview'],
  ])('of the tool %s is held and booked as %s', (type, use) => {
    const facts = ask([{ type }], 'gpt-4.1');
    expect(held(facts)).toEqual({ [use]: 1 });
    expect(booked(facts, ITEMS['web_search'] ?? [])).toEqual({ [use]: 1 });
  });
});

describe('the price of a call', () => {
  /** nano-USD: what the limits hold, and what the ledger books. */
  function costs(tool: object, model: string): { held: number; booked: number } {
    const facts = ask([tool], model);
    const card = prices.resolve('ws', 'openai', model, NOW);
    const cards = card ? [card] : [];
    const terms = { geo: null, tier: null };
    const free = { ...facts.demand, work: { passes: 1, uses: {}, unbounded: null } } as const;
    const bound = (demand: typeof facts.demand): number =>
      boundsOf(demand, [{ cards, outputMax: 16 }], terms).hold.usd ?? Number.NaN;
    const uses = booked(facts, ITEMS[/^[a-z]+_[a-z]+|shell/.exec((tool as { type: string }).type)?.[0] ?? ''] ?? []);
    const usage = { inferences: [], uses: uses ?? {}, thinking: 0, terms: { tier: null, speed: null, geo: null } };
    return { held: bound(facts.demand) - bound(free), booked: priceUsage(usage, model, () => card).cost ?? Number.NaN };
  }

  test.each<[string, object, string, number]>([
    ['a container of 1 GB', container('1g'), 'gpt-5.4', 0.03],
    ['a container of 4 GB', container('4g'), 'gpt-5.4', 0.12],
    ['a container of 16 GB', container('16g'), 'gpt-5.4', 0.48],
    ['a container of 64 GB', container('64g'), 'gpt-5.4', 1.92],
    ['a hosted shell of 64 GB', hosted('64g'), 'gpt-5.4', 1.92],
    ['a search', { type: 'web_search' }, 'gpt-4.1', 0.01],
    ['a search by the preview on a model that reasons', { type: 'web_search_preview' }, 'gpt-5.4', 0.01],
    ['a search by the preview on one that reasons, by its date', { type: 'web_search_preview' }, 'o3-2025-04-16', 0.01],
    ['a search by the preview on one that doesn’t', { type: 'web_search_preview' }, 'gpt-4.1', 0.025],
    ['a search by the preview on a chat model', { type: 'web_search_preview' }, 'gpt-5-chat-latest', 0.025],
    ['a search by the preview on gpt-4o', { type: 'web_search_preview' }, 'gpt-4o-2024-11-20', 0.025],
  ])('has the fee of %s, held and booked alike', (_name, tool, model, usd) => {
    expect(costs(tool, model)).toEqual({ held: usd * 1e9, booked: usd * 1e9 });
  });
});
