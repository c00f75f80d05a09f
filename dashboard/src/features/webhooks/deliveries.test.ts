import { expect, test } from 'vitest';
import { requestText } from './deliveries.tsx';

test('a JSON body is indented, and a truncated one stays text', () => {
  expect(requestText({ url: 'u', body: '{"a":1}' })).toContain('"a": 1');
  expect(requestText({ url: 'u', body: '{"a":1,"b…' })).toContain(String.raw`{\"a\":1,\"b…`);
  expect(requestText({ to: 'a@example.com' })).toBe('{\n  "to": "a@example.com"\n}');
});
