import { describe, expect, test } from 'vitest';
import type { RequestDemand } from '../../domain/limits/demand.ts';
import { readBody, readRefusal, spliced } from '../contract/read-body.ts';
import { openai } from './openai.ts';

const OPENAI = 'openai/v1/completions';
const demandOf = (body: object, address = OPENAI): RequestDemand =>
  readBody(address, { model: 'gpt-3.5-turbo-instruct', prompt: 'Hi', ...body }).demand;

describe('the cost bound of legacy completions', () => {
  test.each<[string, object, number]>([
    ['one text', { prompt: 'Hi' }, 1],
    ['one text in a list', { prompt: ['Hi'] }, 1],
    ['several texts', { prompt: ['Hi', 'Ho', ''] }, 3],
    ['tokens', { prompt: [1, 2, 3] }, 1],
    ['lists of tokens', { prompt: [[1, 2], [3]] }, 2],
    ['no prompt', { prompt: undefined }, 1],
    ['several answers', { prompt: ['Hi', 'Ho'], n: 3 }, 6],
    ['the best of several', { prompt: ['Hi', 'Ho'], n: 2, best_of: 5 }, 10],
  ])('counts each prompt with each of its answers: %s', (_name, body, answers) => {
    expect(demandOf(body).answers).toBe(answers);
  });

  test('is one window for one prompt, and all bytes for a list', () => {
    expect(demandOf({}).listedWindows).toBeNull();
    expect(demandOf({ prompt: ['Hi', 'Ho'] }).listedWindows).toBe(0);
  });

  test('has a maximum of 0 at OpenAI alone, where it means no output', () => {
    expect(demandOf({ max_tokens: 0, echo: true }).outputMax).toBe(0);
    expect(demandOf({ max_tokens: 0 }, 'vllm/completions').outputMax).toBeNull();
    expect(demandOf({ max_tokens: 16 }, 'vllm/completions').outputMax).toBe(16);
  });

  test('does not exist for unknown fields and choices of another model', () => {
    expect(demandOf({ use_beam_search: true }, 'vllm/completions').work.hasUnlistedFee).toBe(true);
    expect(demandOf({ tools: [{}] }).work.hasUnlistedFee).toBe(true);
    for (const choice of [{ models: ['a/b'] }, { preset: 'mine' }])
      expect(demandOf(choice, 'openrouter/completions')).toMatchObject({
        anyModel: true,
        work: { hasUnlistedFee: true },
      });
  });

  test('is refused for prompts of another form, and for too many', () => {
    const refusal = (prompt: unknown) => readRefusal(OPENAI, { model: 'davinci-002', prompt });
    for (const prompt of [{ text: 'Hi' }, [{ text: 'Hi' }], ['Hi', 1], [['Hi']], true])
      expect(refusal(prompt)).toBe('invalid prompt');
    expect(refusal(Array.from({ length: 10_001 }, () => 'x'))).toBe('invalid prompt');
    expect(refusal(['x'.repeat(1_048_576)])).toBe('invalid prompt');
    expect(refusal('x'.repeat(1_048_576))).toBeNull();
  });
});

test('a stream has no chunk with its cost, whose form is that of chat completions', () => {
  expect(openai.route('POST', '/completions')).toMatchObject({ kind: 'inference', streamCost: null });
});

test('a limit sets the maximum, asks a stream for its usage, and bounds the endpoint of a router', () => {
  const terms = { outputMax: 41, tier: null, models: null };
  const sent = (address: string, body: object): unknown => {
    const text = JSON.stringify({ model: 'm', prompt: 'Hi', ...body });
    return JSON.parse(spliced(text, readBody(address, text).forward(terms)));
  };
  expect(sent(OPENAI, { stream: true })).toMatchObject({ max_tokens: 41, stream_options: { include_usage: true } });
  expect(sent(OPENAI, { max_tokens: 16 })).toMatchObject({ max_tokens: 16 });
  expect(readBody('openrouter/completions', { model: 'm', prompt: 'Hi' }).demand.hasEndpoints).toBe(true);
});
