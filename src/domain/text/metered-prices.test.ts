import { expect, test } from 'vitest';
import { describeMeters } from './metered-prices.ts';

test('a model that is billed by searches, characters, minutes or calls says so', () => {
  expect(describeMeters({ rerankSearch: 0.002 })).toEqual(['$2.00 per 1,000 searches']);
  expect(describeMeters({ character: 0.000_015, webSearch: 0.01 })).toEqual(['$15.00 per million characters']);
  expect(describeMeters({ audioSecond: 0.000_1 })).toEqual(['$0.006 per minute of audio']);
  expect(describeMeters({ request: 0.025 })).toEqual(['$25.00 per 1,000 calls']);
});

test('a model that is billed by tokens alone says nothing', () => {
  expect(describeMeters({ webSearch: 0.01, fileSearch: 0.0025 })).toEqual([]);
});
