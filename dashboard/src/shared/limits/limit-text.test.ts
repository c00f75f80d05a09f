import { expect, test } from 'vitest';
import { type LimitScope, limitSentence, rateText, scopeText, usedText } from './limit-text.ts';

const name = (id: string): string => (id === 'key_1' ? 'night batch' : id);
const usd = { unit: 'usd', amount: 5, window: 'day', action: 'block' } as const;

test.each<[LimitScope, string, string]>([
  [{ kind: 'workspace' }, 'all calls', 'All calls together may cost at most $5.00 a day.'],
  [{ kind: 'key', keyId: 'key_1' }, 'key night batch', 'Calls of the key night batch may cost'],
  [{ kind: 'provider', provider: 'openai' }, 'provider openai', 'Calls to openai may'],
  [{ kind: 'model', pattern: 'claude-*' }, 'model claude-*', 'Calls to models claude-* may'],
  [{ kind: 'tag', key: 'team', value: 'ads' }, 'team=ads', 'Calls with team=ads may'],
  [{ kind: 'each_tag', key: 'user' }, 'each user', 'Calls of each user, every value counted apart, may'],
])('%j is said in words', (scope, short, sentence) => {
  expect(scopeText(scope, name)).toBe(short);
  expect(limitSentence({ ...usd, scope }, name, 'UTC')).toContain(sentence);
});

test('a sentence says what happens beyond the amount, and when it counts anew', () => {
  const scope = { kind: 'workspace' } as const;
  expect(limitSentence({ ...usd, scope, window: 'month' }, name, 'Europe/Berlin')).toBe(
    'All calls together may cost at most $5.00 a month. A call that could pass that is refused before it is sent. It counts anew on the first of each month in Europe/Berlin.',
  );
  expect(limitSentence({ ...usd, scope, action: 'warn', window: 'total' }, name, 'UTC')).toMatch(
    /in total\. Beyond that alerts are raised, and calls go on\. It never counts anew\.$/,
  );
  expect(limitSentence({ ...usd, scope, unit: 'concurrency', amount: 8, window: 'total' }, name, 'UTC')).toBe(
    'All calls together may be at most 8 calls at once. A further one waits a moment, then is refused. Each that ends makes room.',
  );
});

test('one is told as one, and many with their thousands apart', () => {
  expect(rateText({ unit: 'calls', amount: 1, window: 'minute' })).toBe('1 call a minute');
  expect(rateText({ unit: 'input_tokens', amount: 12_000, window: 'hour' })).toBe('12,000 input tokens an hour');
});

test('the share of a limit says that it is used, and a limit of nothing claims no share', () => {
  expect(usedText({ counted: 2, held: 1, effectiveAmount: 4 }, 'usd')).toBe('75% of $4.00 used');
  expect(usedText({ counted: 0, held: 0, effectiveAmount: 0 }, 'usd')).toBe('it allows nothing');
});
