import { expect, test } from 'vitest';
import { describeLimit } from '../../src/domain/text/limit.ts';
import { LIMIT_UNITS, LIMIT_WINDOWS, type LimitScope } from '../../src/domain/limits/limit.ts';
import { rateText, scopeText } from '../src/shared/limits/limit-text.ts';

const SCOPES: readonly LimitScope[] = [
  { kind: 'workspace' },
  { kind: 'key', keyId: 'key_1' },
  { kind: 'provider', provider: 'openai' },
  { kind: 'model', pattern: 'claude-*' },
  { kind: 'tag', key: 'team', value: 'ads' },
  { kind: 'each_tag', key: 'user' },
];
const nameOf = (id: string): string => `name of ${id}`;

// The dashboard has its own wording for limits, which must match the service.
test('pages describe a limit like alerts and the command line', () => {
  for (const scope of SCOPES)
    for (const unit of LIMIT_UNITS)
      for (const window of LIMIT_WINDOWS)
        for (const amount of [0, 1, 12_000]) {
          const inBook = { scope, unit, window, amount: unit === 'usd' ? amount * 1_000_000_000 : amount };
          const shown = `${rateText({ unit, window, amount })} for ${scopeText(scope, nameOf)}`;
          expect(shown.replace('$12,000 ', '$12,000.00 ')).toBe(describeLimit(inBook, nameOf));
        }
});
