import { expect, test } from 'vitest';
import { hideSecrets } from './crypto/hide-secrets.ts';
import { KEY_HEADERS } from './http/key-headers.ts';
import { createLog } from './log.ts';

const SECRET = 'Zk3vQ9xw2Lr8Tn5Yb7Hd4Jf6Mc1Pg0Sa';

const HOSTILE: readonly (readonly [string, object, string])[] = [
  ...KEY_HEADERS.map(
    (name) => [`the header ${name}`, { headers: { [name]: SECRET } }, `sent ${name}: ${SECRET}`] as const,
  ),
  ['a header as a field', { headers: { authorization: `Bearer ${SECRET}` } }, 'request'],
  ['a header with quotes and backslashes', { 'x-api-key': `a"b\\${SECRET}` }, 'request'],
  ['a header given as a list', { headers: { 'X-Goog-Api-Key': [SECRET, SECRET] } }, 'request'],
  ['a header inside a message', {}, `sent authorization: Bearer ${SECRET}`],
  ['a header inside JSON text inside a message', {}, JSON.stringify({ 'x-api-key': SECRET })],
  ['a query parameter', { url: `/v1/models?alt=sse&key=${SECRET}` }, 'request'],
  ['a wrapped key', {}, `no such key svc_sk_${SECRET}`],
  ['an error that carries a key', { err: new Error(`refused sk-ant-api03-${SECRET}`) }, 'failed'],
  ['a webhook secret', { secret: `whsec_${SECRET}` }, 'webhook'],
  ['keys of other providers', { keys: [`AIza${SECRET}`, `gsk_${SECRET}`, `xai-${SECRET}`] }, 'request'],
];

test.each(HOSTILE)('no secret reaches the log: %s', (_name, fields, message) => {
  const lines: string[] = [];
  createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } }).info(fields, message);
  const [line] = lines;
  expect(line).not.toContain(SECRET);
  expect(JSON.parse(line ?? '')).toBeTypeOf('object');
});

test('text without secrets is unchanged', () => {
  const text = 'key_01 of ws_default called claude-sonnet-4-6?beta=true, keyboard, monkey=1';
  expect(hideSecrets(text)).toBe(text);
});
