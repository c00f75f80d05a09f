import { expect, test } from 'vitest';
import { buildProviders } from './providers.ts';
import { buildTestCall } from './test-call.ts';

const GOOGLE = { path: '/v1beta/models/gemini-2.5-flash:generateContent', body: ['{"contents":[]}'] };

test.each([...buildProviders({ urls: {}, custom: [] }).values()])(
  'the test call of $id has a small maximum',
  ({ firstCall }) => {
    const { body } = buildTestCall(firstCall, 'some-model');
    const [, tokens] = /"max(?:_?[a-zA-Z_]*)[tT]okens":(\d+)/.exec(body) ?? [];
    expect(Number(tokens)).toBeGreaterThan(0);
    expect(Number(tokens)).toBeLessThanOrEqual(1_000);
  },
);

test('a model in the path keeps the characters that a path may have', () => {
  expect(buildTestCall(GOOGLE, 'tuned:v1@001').path).toBe('/v1beta/models/tuned:v1@001:generateContent');
  expect(buildTestCall(GOOGLE, 'a/b').path).toBe('/v1beta/models/a%2Fb:generateContent');
});
