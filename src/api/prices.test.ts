import { expect, test } from 'vitest';
import { z } from 'zod';
import { customPrice, newContract } from '../contract/prices.ts';
import { writtenPolicy } from '../contract/limits.ts';
import { OPEN_POLICY } from '../domain/policy/policy.ts';
import { contractInput, userCardInput } from '../prices/price-schema.ts';

test('the API documents a custom price as the price parser reads it', () => {
  expect(z.toJSONSchema(customPrice)).toEqual(z.toJSONSchema(userCardInput, { io: 'input' }));
});

test('the API documents a contract as its parser reads it', () => {
  expect(z.toJSONSchema(newContract)).toEqual(z.toJSONSchema(contractInput, { io: 'input' }));
});

test('the API documents every rule that the policy parser reads', () => {
  const { properties = {} } = z.toJSONSchema(writtenPolicy);
  expect(Object.keys(properties).toSorted()).toEqual(Object.keys(OPEN_POLICY).toSorted());
});
