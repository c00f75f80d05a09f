import { describe, expect, it } from 'vitest';
import anthropic from './overrides/anthropic.json' with { type: 'json' };
import google from './overrides/google.json' with { type: 'json' };
import openai from './overrides/openai.json' with { type: 'json' };
import { parsePriceFiles, refreshCards } from './refresh-cards.ts';

const FILES = [anthropic, google, openai];

describe('refreshed prices', () => {
  it('have the format of the built-in files, which are valid in it', async () => {
    expect(await refreshCards(async () => JSON.stringify(FILES))).toEqual(FILES);
  });

  it.each([
    ['no JSON', '<html>', 'The price list is not JSON.'],
    ['no list', '{}', 'The price list is not valid'],
    ['an unknown field', JSON.stringify([{ ...openai, note: 'x' }]), 'The price list is not valid in 0'],
    [
      'a price that is none',
      '[{"provider":"x","prices":[{"models":["m"],"usdPerMillion":{"input":"cheap"},"source":"s"}]}]',
      'in 0.prices.0.usdPerMillion.input: "cheap" is not a valid price',
    ],
    ['too long a text', ' '.repeat(4_000_001), 'The price list is longer than'],
  ])('are refused whole: %s', (_, text, sentence) => {
    expect(() => parsePriceFiles(text)).toThrow(sentence);
  });
});
