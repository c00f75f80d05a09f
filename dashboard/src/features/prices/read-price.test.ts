import { expect, test } from 'vitest';
import { readPrice } from './read-price.ts';

test('a class that is left empty is left out, and figures keep every digit', () => {
  const form = new FormData();
  const fields = { provider: 'openai', model: ' our-model ', input: '0.123456', output: '2', cacheRead: ' ', from: '' };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  expect(readPrice(form)).toEqual({
    provider: 'openai',
    model: 'our-model',
    usdPerMillion: { input: '0.123456', output: '2' },
  });
});
