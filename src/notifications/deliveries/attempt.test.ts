import { expect, test } from 'vitest';
import type { HttpMessage } from '../destinations/destination.ts';
import { toAttempt } from './attempt.ts';

const target = {
  url: 'https://hooks.slack.test/services/T0/B0/secretsecret?sig=query%2Bsecret',
  secrets: ['whsec_key'],
};
const message: HttpMessage = {
  via: 'http',
  url: target.url,
  headers: { authorization: 'GenieKey whsec_key', 'content-type': 'application/json', 'x-note': 'has whsec_key' },
  body: '{"routing_key":"whsec_key","text":"secretsecret and query+secret or query%2Bsecret"}',
};
const reply = { status: 500, headers: {}, body: `no ${target.url} whsec_key` };
const tried = { message, target, at: 1_000, ms: 12, isDelivered: false };

test('a stored attempt contains no secret of its webhook, wherever it occurs', () => {
  const attempt = toAttempt({ ...tried, sent: { ok: true, reply } });
  const kept = JSON.stringify(attempt);
  for (const secret of ['secretsecret', 'query+secret', 'query%2B', 'whsec_key', 'GenieKey'])
    expect(kept).not.toContain(secret);
  expect(attempt).toMatchObject({
    at: 1_000,
    ms: 12,
    status: 500,
    error: 'The receiver answered 500.',
    request: { url: 'https://hooks.slack.test/…', headers: { 'content-type': 'application/json' } },
  });
});

test('stored requests and responses are bounded', () => {
  const long = { ...message, body: 'x'.repeat(1_000_000) };
  const sent = { ok: true, reply: { ...reply, body: 'y'.repeat(1_000_000) } } as const;
  const { request, response } = toAttempt({ ...tried, message: long, sent });
  expect(String(request['body'])).toHaveLength(4_096);
  expect(response).toHaveLength(1_024);
});

test('an attempt without a response has an error, and a delivered one has none', () => {
  const failed = toAttempt({ ...tried, sent: { ok: false, error: 'Nobody took the connection to whsec_key.' } });
  expect(failed).toMatchObject({ status: null, error: 'Nobody took the connection to ….', response: null });
  const ok = toAttempt({ ...tried, sent: { ok: true, reply: { ...reply, status: 204, body: '' } }, isDelivered: true });
  expect(ok).toMatchObject({ status: 204, error: null, response: null });
});

test('a secret is hidden whole if it contains another one, is decoded, or lies where the response is cut', () => {
  const kept = (url: string, body: string): string | null =>
    toAttempt({ ...tried, target: { url, secrets: [] }, sent: { ok: true, reply: { ...reply, body } } }).response;
  expect(kept('https://h.test/incoming/incoming-4f1c9a', 'POST /incoming/incoming-4f1c9a')).toBe('POST /…/…');
  expect(kept('https://h.test/my%20secret%21', 'no "my secret!"')).toBe('no "…"');
  expect(kept('https://h.test/100%-secret', '100%-secret')).toBe('…');
  const long = `${'x'.repeat(1_015)}secretsecret`;
  expect(kept('https://h.test/secretsecret', long)).toBe(`${'x'.repeat(1_015)}…`);
});
