import { describe, expect, test } from 'vitest';
import { type CallEnd, uncertainUpTo } from '../../domain/usage/call.ts';
import { TollbookError } from '../../domain/errors.ts';
import { boundCall } from '../../domain/limits/cost-bound.ts';
import { priceUsage } from '../../domain/pricing/pricing.ts';
import { type ObservedResponse, settleCall } from '../../domain/usage/settle.ts';
import type { Usage, UseCounts } from '../../domain/usage/usage.ts';
import { sampleBegin } from '../../journal/contract/sample-calls.ts';
import { createPriceBook } from '../../prices/price-book.ts';
import { answerHead, readFacts, replay } from '../contract/replay.ts';
import { openai } from './openai.ts';

const provider = openai;
const prices = createPriceBook();
const NOW = Date.parse('2026-11-22T00:00:00Z');
const ITEMS: Readonly<Record<string, readonly object[]>> = {
  code_interpreter: [{ type: 'code_interpreter_call', container_id: 'cntr_1' }],
  shell: [{ type: 'shell_call', environment: { type: 'container_reference', container_id: 'cntr_1' } }],
  web_search: [{ type: 'web_search_call', action: { type: 'search' } }],
};

function ask(tools: unknown, model = 'gpt-5.4'): ReturnType<typeof readFacts> {
  return readFacts(provider, '/responses', { model, input: 'Hi', max_output_tokens: 16, max_tool_calls: 1, tools });
}

function held(facts: ReturnType<typeof readFacts>): UseCounts | null {
  const { work } = facts.demand;
  return work.unbounded === null ? work.uses : null;
}

function read(facts: ReturnType<typeof readFacts>, output: readonly object[]): Usage | null {
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const answer = { id: 'resp_1', object: 'response', status: 'completed', model: facts.model, output, usage };
  return replay(() => facts.openReader(answerHead('application/json')), JSON.stringify(answer)).usage;
}

function booked(facts: ReturnType<typeof readFacts>, output: readonly object[]): UseCounts | undefined {
  return read(facts, output)?.uses;
}

const CALLS = ITEMS['code_interpreter'] ?? [];

/** Settles a call whose hold says nothing: only what the answer says counts. */
function settled(
  facts: ReturnType<typeof readFacts>,
  usage: Usage | null,
  change: Partial<ObservedResponse> = {},
): CallEnd {
  const hold = { usd: 0, inputTokens: 0, outputTokens: 0 };
  return settleCall(
    sampleBegin('call_1', { requestedModel: facts.model, hold }),
    {
      endedAt: NOW,
      status: 200,
      stopped: null,
      complete: true,
      errored: false,
      usage,
      outputBytes: 0,
      bodyBytes: 100,
      model: facts.model,
      requestId: null,
      responseId: null,
      firstByteMs: 5,
      ...change,
    },
    (model) => prices.resolve('ws', 'openai', model, NOW),
  );
}

const container = (size: unknown) => ({ type: 'code_interpreter', container: { type: 'auto', memory_limit: size } });
const hosted = (size: unknown) => ({ type: 'shell', environment: { type: 'container_auto', memory_limit: size } });

describe('a container of unknown size is held as the largest, and its fee is not in the cost', () => {
  test.each<[string, object]>([
    ['a size in other letters', container('64G')],
    ['an unknown size', container('256g')],
    ['a size that is a number', container(4)],
    ['a size in a list', container(['1g'])],
    ['an empty size', container('')],
    ['a size that is false', container(false)],
    ['a container that is false', { type: 'code_interpreter', container: false }],
    ['a size too long to read', container(`1g${' '.repeat(9_000)}`)],
    ['a container by its id', { type: 'code_interpreter', container: 'cntr_1' }],
    [
      'a container of an unknown kind',
      { type: 'code_interpreter', container: { type: 'reserved', memory_limit: '1g' } },
    ],
    ['a shell of an unknown size', hosted('2t')],
    [
      'a shell in a container by its id',
      { type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_1' } },
    ],
  ])('%s', (_name, tool) => {
    const facts = ask([tool]);
    expect(held(facts)).toEqual({ codeInterpreter64g: 1 });
    expect(read(facts, ITEMS[(tool as { type: string }).type] ?? [])).toMatchObject({
      uses: {},
      openUses: { codeInterpreter64g: 1 },
    });
    expect(read(facts, [])).not.toHaveProperty('openUses');
  });

  test('two tools of different sizes have an unknown size, because the answer does not say which one ran', () => {
    for (const tools of [
      [container('16g'), container('1g')],
      [container('1g'), container('16g')],
    ]) {
      expect(held(ask(tools))).toEqual({ codeInterpreter16g: 1 });
      expect(read(ask(tools), ITEMS['code_interpreter'] ?? [])).toMatchObject({
        uses: {},
        openUses: { codeInterpreter16g: 1 },
      });
    }
  });

  test('the entry of its call has the cost of everything else and is uncertain up to the highest fee of each container', () => {
    const facts = ask([{ type: 'code_interpreter', container: 'cntr_1' }, { type: 'web_search' }]);
    const entry = settled(facts, read(facts, [...CALLS, ...CALLS, ...(ITEMS['web_search'] ?? [])]));
    const tokens = 10 * 2_500 + 5 * 15_000;
    expect(entry).toMatchObject({
      outcome: 'completed',
      uncertainReason: 'container_size',
      usageSource: 'counted',
      cost: tokens + 10_000_000,
      counted: { usd: tokens + 10_000_000 + 1_920_000_000 },
    });
    expect(uncertainUpTo(entry)).toBe(1_920_000_000);
  });

  test('a call that ran nothing in it has an exact cost', () => {
    const facts = ask([{ type: 'code_interpreter', container: 'cntr_1' }]);
    const cost = 10 * 2_500 + 5 * 15_000;
    expect(settled(facts, read(facts, []))).toMatchObject({
      uncertainReason: null,
      usageSource: 'reported',
      cost,
      counted: { usd: cost },
    });
  });

  test('if the tokens have no price either, the cost stays unknown and uncertain', () => {
    const facts = ask([{ type: 'code_interpreter', container: 'cntr_1' }], 'gpt-unheard-of');
    expect(settled(facts, read(facts, CALLS))).toMatchObject({ uncertainReason: 'container_size', cost: null });
  });

  test('an interrupted call counts the fee too', () => {
    const facts = ask([{ type: 'code_interpreter', container: 'cntr_1' }]);
    const entry = settled(facts, read(facts, CALLS), { complete: false, stopped: 'reset' });
    expect(entry).toMatchObject({ uncertainReason: 'reset', cost: null, counted: { usd: 1_920_100_000 } });
  });
});

describe('a container is held and recorded by the requested size', () => {
  test.each<[string, object, string]>([
    ['no size', { type: 'code_interpreter', container: { type: 'auto' } }, 'codeInterpreter'],
    ['a null size', container(null), 'codeInterpreter'],
    ['1 GB', container('1g'), 'codeInterpreter'],
    ['4 GB', container('4g'), 'codeInterpreter4g'],
    ['16 GB', container('16g'), 'codeInterpreter16g'],
    ['64 GB', container('64g'), 'codeInterpreter64g'],
    ['a shell of no size', { type: 'shell', environment: { type: 'container_auto' } }, 'codeInterpreter'],
    ['a shell of 16 GB', hosted('16g'), 'codeInterpreter16g'],
  ])('%s', (_name, tool, use) => {
    const facts = ask([tool]);
    expect(held(facts)).toEqual({ [use]: 1 });
    expect(booked(facts, ITEMS[(tool as { type: string }).type] ?? [])).toEqual({ [use]: 1 });
  });

  test('tools in a namespace or an input item count too', () => {
    expect(held(ask([{ type: 'namespace', tools: [container('64g')] }]))).toEqual({ codeInterpreter64g: 1 });
    const input = [{ type: 'additional_tools', role: 'developer', tools: [hosted('64g')] }];
    const facts = readFacts(provider, '/responses', { model: 'gpt-5.4', input, max_tool_calls: 1 });
    expect(held(facts)).toEqual({ codeInterpreter64g: 1 });
  });

  test('refuses a container in a list', () => {
    expect(() => ask([{ type: 'code_interpreter', container: [{ type: 'auto' }] }])).toThrow(TollbookError);
  });

  test('a maximum of 0 calls is no maximum', () => {
    const body = { model: 'gpt-5.4', input: 'Hi', max_tool_calls: 0, tools: [container('64g')] };
    expect(readFacts(provider, '/responses', body).demand.work).toMatchObject({
      unbounded: 'tools[].code_interpreter without max_tool_calls',
    });
  });

  test('a tool of a stored prompt is recorded at its highest fee, a container as one of unknown size', () => {
    const facts = readFacts(provider, '/responses', { model: 'gpt-5.4', prompt: { id: 'pmpt_1' } });
    expect(read(facts, [...CALLS, ...(ITEMS['web_search'] ?? [])])).toMatchObject({
      uses: { webSearchPreview: 1 },
      openUses: { codeInterpreter64g: 1 },
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
    const { work } = facts.demand;
    if (work.unbounded !== null) throw new Error(work.unbounded);
    const free = { ...facts.demand, work: { ...work, uses: {} } };
    const bound = (demand: typeof facts.demand): number =>
      boundCall(demand, [{ cards, outputMax: 16 }], terms).hold.usd ?? Number.NaN;
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
