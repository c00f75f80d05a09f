import { expect, test } from 'vitest';
import { readPrice } from './read-price.ts';

test('an empty class is left out, and figures keep every digit', () => {
  const fields = new Map([
    ['provider', 'openai'],
    ['model', 'our-model'],
    ['input', '0.123456'],
    ['output', '2'],
  ]);
  expect(readPrice((name) => fields.get(name) ?? '')).toEqual({
    provider: 'openai',
    model: 'our-model',
    usdPerMillion: { input: '0.123456', output: '2' },
  });
});
