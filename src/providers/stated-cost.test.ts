import { expect, test } from 'vitest';
import { readLitellmCost, readNoCost, readOpenRouterCost, readPerplexityCost, readXaiCost } from './stated-cost.ts';

test.each([
  ['the charge', { cost: 0.00014 }, 140_000],
  ['nothing for a free model', { cost: 0 }, 0],
  [
    'no more than the charge without a key of one’s own',
    { cost: 0.5, is_byok: false, cost_details: { upstream_inference_cost: 0.4 } },
    500_000_000,
  ],
  [
    'fee and upstream charge with one',
    { cost: 0.95, is_byok: true, cost_details: { upstream_inference_cost: 19 } },
    19_950_000_000,
  ],
  [
    'both where only the upstream charge says so',
    { cost: 0.95, cost_details: { upstream_inference_cost: 19 } },
    19_950_000_000,
  ],
  [
    'the charge where no upstream charge is listed',
    { cost: 0.5, cost_details: { upstream_inference_cost: null } },
    500_000_000,
  ],
  ['nothing known where the upstream charge is missing', { cost: 0.95, is_byok: true }, null],
  ['nothing known without a charge', {}, null],
  ['nothing known from a text', { cost: '0.1' }, null],
  ['nothing known from a negative amount', { cost: -1 }, null],
  ['nothing known from more than an entry holds', { cost: 1e12 }, null],
])('a usage of OpenRouter states %s', (_name, usage, cost) => {
  expect(readOpenRouterCost(usage)).toBe(cost);
});

test('a usage of xAI states its cost in ticks', () => {
  expect(readXaiCost({ cost_in_usd_ticks: 12_345_678_900 })).toBe(1_234_567_890);
  expect(readXaiCost({ cost: 1 })).toBeNull();
});

test.each<[Readonly<Record<string, unknown>>, number | null]>([
  [{ cost: { currency: 'USD', input_cost: 0.001, output_cost: 0.002, total_cost: 0.0084 } }, 8_400_000],
  [{ cost: { input_tokens_cost: 0.001, request_cost: 0.006, total_cost: 0.007 } }, 7_000_000],
  [{ cost: { currency: 'EUR', total_cost: 1 } }, null],
  [{ cost: 1 }, null],
  [{}, null],
])('Perplexity states the total in %j', (usage, cost) => {
  expect(readPerplexityCost(usage)).toBe(cost);
});

test.each<[string, object, object, number | null]>([
  ['in the header of a whole answer', {}, { 'x-litellm-response-cost': '2.85e-05' }, 28_500],
  ['in the usage of a stream', { cost: 0.000_028_5 }, {}, 28_500],
  ['nowhere', {}, {}, null],
  ['nowhere with an empty header', {}, { 'x-litellm-response-cost': '' }, null],
  ['nowhere with a word', {}, { 'x-litellm-response-cost': 'None' }, null],
  // LiteLLM has no price for the model.
  ['nowhere with 0', {}, { 'x-litellm-response-cost': '0.0' }, null],
])('LiteLLM states its cost %s', (_name, usage, headers, cost) => {
  expect(readLitellmCost(usage as Record<string, unknown>, headers as Record<string, string>)).toBe(cost);
});

test('other providers state no cost', () => {
  expect(readNoCost()).toBeNull();
});
