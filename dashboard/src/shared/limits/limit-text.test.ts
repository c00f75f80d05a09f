import { expect, test } from 'vitest';
import { type LimitScope, limitSentence, scopeText } from './limit-text.ts';
import { describeRate, describeUse } from '../../../../src/domain/text/limits.ts';

const name = (id: string): string => (id === 'key_1' ? 'night batch' : id);
const usd = { unit: 'usd', amount: 5, window: 'day', action: 'block' } as const;

test.each<[LimitScope, string, string]>([
  [{ kind: 'workspace' }, 'all calls', 'All calls together may cost at most $5.00 a day.'],
  [{ kind: 'key', keyId: 'key_1' }, 'key night batch', 'Calls of the key night batch may cost'],
  [{ kind: 'provider', provider: 'openai' }, 'provider openai', 'Calls to openai may'],
  [{ kind: 'model', pattern: 'claude-*' }, 'model claude-*', 'Calls to models claude-* may'],
  [{ kind: 'tag', key: 'team', value: 'ads' }, 'team=ads', 'Calls with team=ads may'],
  [{ kind: 'each_tag', key: 'user' }, 'each user', 'Calls of each user (counted separately) may'],
])('%j is described in words', (scope, short, sentence) => {
  expect(scopeText(scope, name)).toBe(short);
  expect(limitSentence({ ...usd, scope }, name, 'UTC')).toContain(sentence);
});

test('a sentence says what happens above the amount and when the limit resets', () => {
  const scope = { kind: 'workspace' } as const;
  expect(limitSentence({ ...usd, scope, window: 'month' }, name, 'Europe/Berlin')).toBe(
    'All calls together may cost at most $5.00 a month. Calls that would exceed it are shortened or refused before they are sent. It resets on the first of each month (Europe/Berlin).',
  );
  expect(limitSentence({ ...usd, scope, action: 'warn', window: 'total' }, name, 'UTC')).toMatch(
    /in total\. The limit raises alerts and refuses no calls\. It never resets\.$/,
  );
  expect(limitSentence({ ...usd, scope, unit: 'concurrency', amount: 8, window: 'total' }, name, 'UTC')).toBe(
    'All calls together may be at most 8 concurrent calls. Further calls wait briefly, then are refused. Each call that ends makes room for another.',
  );
});

test('1 is singular, and large numbers have thousands separators', () => {
  expect(describeRate({ unit: 'calls', amount: 1, window: 'minute' })).toBe('1 call a minute');
  expect(describeRate({ unit: 'input_tokens', amount: 12_000, window: 'hour' })).toBe('12,000 input tokens an hour');
});

test('the share of a limit is labeled as used, and a limit of 0 shows no share', () => {
  expect(describeUse({ counted: 2, held: 1, effectiveAmount: 4 }, 'usd')).toBe('50% of $4.00 used, 25% reserved');
  expect(describeUse({ counted: 2, held: 0, effectiveAmount: 4 }, 'usd')).toBe('50% of $4.00 used');
  expect(describeUse({ counted: 0, held: 0, effectiveAmount: 0 }, 'usd')).toBe('Allows nothing');
});
