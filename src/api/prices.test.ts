import { createPriceBook } from '../prices/price-book.ts';
import { listedExceptions } from './prices.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { customPrice, newContract } from '../contract/prices.ts';
import { writtenPolicy } from '../contract/limits.ts';
import { OPEN_POLICY } from '../domain/policy/policy.ts';
import { contractInput, readContract, userCard, userCardInput } from '../prices/price-schema.ts';

test('the API documents a custom price as the price parser reads it', () => {
  expect(z.toJSONSchema(customPrice)).toEqual(z.toJSONSchema(userCardInput, { io: 'input' }));
});

test('the API documents a contract as its parser reads it', () => {
  expect(z.toJSONSchema(newContract)).toEqual(z.toJSONSchema(contractInput, { io: 'input' }));
});

test('an amount that is a number is refused with how to write it', () => {
  const model = { provider: 'openai', model: 'gpt-5' };
  const sentence = 'write the number as text, for example "0.30", so that no digit is lost.';
  const price = { ...model, usdPerMillion: { input: 0.3, output: '1' } };
  expect(() => userCard(price)).toThrow(`A price is not valid in usdPerMillion.input: ${sentence}`);
  expect(() => readContract({ ...model, multiplier: 0.9 })).toThrow(
    `A contract is not valid in multiplier: ${sentence}`,
  );
});

test('the API documents every rule that the policy parser reads', () => {
  const { properties = {} } = z.toJSONSchema(writtenPolicy);
  expect(Object.keys(properties).toSorted()).toEqual(Object.keys(OPEN_POLICY).toSorted());
});

test('a custom price of Gemini charges cached tokens of batches in full, listed or not', () => {
  const find = listedExceptions(createPriceBook());
  for (const model of ['gemini-2.5-pro', 'gemini-not-listed'])
    expect(find('google', model)).toEqual({ batch: ['cacheRead', 'cacheReadAudio'] });
  expect(find('openai', 'gpt-5')).toBeUndefined();
});
