import { expect, test } from 'vitest';
import type { UsageSeries } from '../contract/usage.ts';
import { hourlyPrice } from './hourly-price.ts';

const use = (inputTokens: number, cacheReadTokens: number, outputTokens: number) => ({
  provider: 'vllm',
  model: 'llama',
  hours: 168,
  points: [{ inputTokens, cacheReadTokens, outputTokens }] as unknown as UsageSeries['points'],
});

test('the recorded tokens cost what the hours cost, idle ones too', () => {
  const { usdPerMillion } = hourlyPrice(use(800e6, 300e6, 100e6), '4.20');
  const usd = (name: 'input' | 'cacheRead' | 'output', tokens: number): number =>
    (Number(usdPerMillion?.[name]) * tokens) / 1e6;
  expect(usd('input', 500e6) + usd('cacheRead', 300e6) + usd('output', 100e6)).toBeCloseTo(4.2 * 168, 2);
});

test('without recorded tokens there is nothing to spread over', () => {
  expect(() => hourlyPrice(use(0, 0, 0), '4.20')).toThrow('--since');
});

test('too few tokens are refused with what to do', () => {
  expect(() => hourlyPrice(use(10, 0, 1), '4.20')).toThrow('too few');
});
