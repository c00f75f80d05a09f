import { expect, test } from 'vitest';
import { explainFailedCall } from './failures.ts';

test.each([
  [529, 'overloaded_error', 'The provider was overloaded.'],
  [429, 'insufficient_quota', 'The provider account has no credit or quota left.'],
  [429, null, 'The provider’s rate limit was reached.'],
  [404, 'word_of_a_small_provider', 'The provider does not know this model or resource.'],
  [418, null, 'The provider refused the request.'],
  [599, null, 'The provider had an internal error.'],
])('a call that failed with %i and the word %s has a sentence', (status, errorType, sentence) => {
  expect(explainFailedCall({ outcome: 'failed', status, errorType })).toBe(sentence);
});

test('a call that did not fail at the provider says how it ended, a completed one nothing', () => {
  expect(explainFailedCall({ outcome: 'completed', status: 200, errorType: null })).toBeNull();
  expect(explainFailedCall({ outcome: 'not_sent', status: 0, errorType: null })).toContain('did not reach');
  expect(explainFailedCall({ outcome: 'broken', status: 200, errorType: 'overloaded_error' })).toContain('overloaded');
  expect(explainFailedCall({ outcome: 'broken', status: 200, errorType: null })).toContain('broke off');
});
