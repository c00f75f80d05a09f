import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { parseBody, destinationContract } from './contract/destination-contract.ts';
import { NOTICES } from './contract/notices.ts';
import { custom } from './custom.ts';
import type { HttpMessage, WebhookMessage, WebhookNotice } from './destination.ts';
import { MINUTE_MS } from '../../domain/time/units.ts';

const url = 'https://example.com/hooks/tollbook';
const NEW = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OLD = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const AT = Date.UTC(2026, 10, 21, 6, 0, 1, 750);

const payload = z.strictObject({
  type: z.string().regex(/^[a-z]+(\.[a-z]+)*$/),
  timestamp: z.iso.datetime(),
  data: z.looseObject({
    id: z.string().min(1),
    title: z.string().min(1),
    message: z.string().min(1),
    severity: z.enum(['info', 'warning', 'critical']),
    link: z.url(),
    omitted: z.array(z.string()).max(20).optional(),
  }),
});

function sent(notice: WebhookNotice, secrets: readonly string[], at = AT): HttpMessage {
  const message = custom.message(notice, { url, secrets }, at);
  if (message.via !== 'http') throw new Error('This is a mail.');
  return message;
}

function expectTaken(message: WebhookMessage, { id }: WebhookNotice): void {
  const { headers, body } = message as HttpMessage;
  payload.parse(parseBody(message));
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(20_000);
  expect(headers['webhook-id']).toBe(id);
}

destinationContract({
  destination: custom,
  target: { url, secrets: [NEW, OLD] },
  refused: {
    'what is no address': [{ url: 'example.com', secrets: [] }, 'url'],
    'an empty secret': [{ url, secrets: [''] }, 'secret'],
  },
  expectTaken,
  readsMarkup: false,
});

/** The verifiers compare with the clock of the machine, and take 5 minutes either way. */
function receiveAt(now: number): void {
  vi.useFakeTimers({ now, toFake: ['Date'] });
}
afterEach(() => void vi.useRealTimers());

const verifiers: readonly [
  string,
  (secret: string) => { verify(body: string, headers: Record<string, string>): unknown },
][] = [
  ['standardwebhooks', (secret) => new Webhook(secret)],
  ['svix', (secret) => new SvixWebhook(secret)],
];

test.each(verifiers)('%s accepts the message with either secret, over the whole tolerance', (_name, verifier) => {
  for (const notice of Object.values(NOTICES))
    for (const secret of [NEW, OLD])
      for (const late of [0, 5 * MINUTE_MS - 1_000]) {
        const { body, headers } = sent(notice, [NEW, OLD]);
        receiveAt(AT + late);
        expect(() => verifier(secret).verify(body, headers)).not.toThrow();
      }
});

test.each(verifiers)(
  '%s refuses a changed byte, an old timestamp, another id and a wrong secret',
  (_name, verifier) => {
    receiveAt(AT);
    const { body, headers } = sent(NOTICES.alert, [NEW]);
    const refuses = (text: string, changed: Record<string, string>, secret = NEW): void => {
      expect(() => verifier(secret).verify(text, { ...headers, ...changed })).toThrow(/signature|timestamp/);
    };
    expect(() => verifier(NEW).verify(body, headers)).not.toThrow();
    for (let at = 0; at < body.length; at += 17) refuses(`${body.slice(0, at)}~${body.slice(at + 1)}`, {});
    refuses(body, { 'webhook-id': 'al_other' });
    refuses(body, { 'webhook-timestamp': String(AT / 1_000 + 1) });
    refuses(body, {}, OLD);
    receiveAt(AT + 6 * MINUTE_MS);
    refuses(body, {});
    receiveAt(AT - 6 * MINUTE_MS);
    refuses(body, {});
  },
);

test.each(['a secret that a person typed', 'schlüssel', 'whsec_***', 'whsec_verysecret', 'whsec_'])(
  'a secret that is not base64 after the prefix is used as bytes: %s',
  (secret) => {
    receiveAt(AT);
    const { body, headers } = sent(NOTICES.alert, [secret]);
    expect(() => new Webhook(secret, { format: 'raw' }).verify(body, headers)).not.toThrow();
  },
);

test('without a secret nothing is signed', () => {
  expect(Object.keys(sent(NOTICES.alert, []).headers)).toEqual(['content-type', 'webhook-id', 'webhook-timestamp']);
});

test('each attempt has its own timestamp and signature, and the same id and body', () => {
  const [first, second] = [sent(NOTICES.alert, [NEW]), sent(NOTICES.alert, [NEW], AT + MINUTE_MS)];
  expect(second.body).toBe(first.body);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.headers['webhook-timestamp']).toBe('1795240861');
  expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
});

test.each([
  [NOTICES.alert, 'cost.spike'],
  [NOTICES.resolved, 'cost.spike.resolved'],
  [NOTICES.test, 'test'],
  [NOTICES.digest, 'weekly.digest'],
])('events are named in lower case with dots', (notice, type) => {
  expect(parseBody(sent(notice, []))).toMatchObject({ type });
});

test('half of a surrogate pair in the data is replaced, because many readers refuse it even escaped', () => {
  expect(sent({ ...NOTICES.alert, data: { model: 'a\ud800' } }, []).body).toContain('"model":"a\ufffd"');
});

test('fields that are too large are left out and named', () => {
  const data = { scope: { provider: 'anthropic' }, evidence: 'x'.repeat(30_000), value: 412.1 };
  const body = payload.parse(parseBody(sent({ ...NOTICES.alert, data }, [])));
  expect(body.data).toMatchObject({
    id: 'al_7Hq2',
    scope: { provider: 'anthropic' },
    value: 412.1,
    omitted: ['evidence'],
  });
  expect(body.data).not.toHaveProperty('evidence');
});

test('the end of an episode is another message about the same alert', () => {
  const [begin, end] = [sent(NOTICES.alert, []), sent(NOTICES.resolved, [])];
  expect(end.headers['webhook-id']).not.toBe(begin.headers['webhook-id']);
  expect(parseBody(end)).toMatchObject({ data: { id: NOTICES.alert.id } });
});
