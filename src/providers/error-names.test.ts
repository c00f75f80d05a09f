import { expect, test } from 'vitest';
import { readErrorNames } from './error-names.ts';

const SECRET = 'my prompt about Ada';

test.each([
  ['Anthropic', { type: 'overloaded_error', message: SECRET }, 'overloaded_error'],
  [
    'OpenAI',
    { type: 'invalid_request_error', code: 'context_length_exceeded', message: SECRET },
    'context_length_exceeded',
  ],
  ['OpenAI without a code', { type: 'server_error', code: null, message: SECRET }, 'server_error'],
  ['Google', { code: 429, status: 'RESOURCE_EXHAUSTED', message: SECRET }, 'RESOURCE_EXHAUSTED'],
  ['Azure', { code: null, innererror: { code: 'ResponsibleAIPolicyViolation' } }, 'ResponsibleAIPolicyViolation'],
  ['a proxy that answers with text', SECRET, null],
  ['nothing', null, null],
])('the type of an error of %s is a word of the provider', (_, error, type) => {
  expect(readErrorNames(error).type).toBe(type);
});

test.each([SECRET, 'x'.repeat(65), 'line\nbreak', '<b>', '', '-', '42', 'é'])(
  'text that is no word, such as %j, is not kept as the type of an error',
  (text) => {
    expect(readErrorNames({ code: text, type: text, status: text }).type).toBeNull();
  },
);

test('a type stands in for a code that is no word', () => {
  expect(readErrorNames({ code: 'two words', type: 'invalid_request_error' })).toEqual({
    code: 'two words',
    type: 'invalid_request_error',
  });
});
