import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseBody, destinationContract } from './contract/destination-contract.ts';
import { NOTICES } from './contract/notices.ts';
import type { WebhookMessage, WebhookNotice, WebhookTarget } from './destination.ts';
import { pagerduty } from './pagerduty.ts';

const KEY = 'R0123456789abcdefghijABCDEFGHIJ1';
const ENQUEUE = 'https://events.pagerduty.com/v2/enqueue';
const BODY_BYTES_MAX = 512 * 1_024;

/** https://developer.pagerduty.com/docs/events-api-v2/trigger-events. */
const identity = { routing_key: z.string().length(32), dedup_key: z.string().min(1).max(255) };
const triggerEvent = z.strictObject({
  ...identity,
  event_action: z.literal('trigger'),
  client: z.string(),
  client_url: z.url(),
  links: z.array(z.strictObject({ href: z.url(), text: z.string() })),
  payload: z.strictObject({
    summary: z.string().min(1).max(1_024),
    source: z.string().min(1),
    severity: z.enum(['critical', 'error', 'warning', 'info']),
    timestamp: z.iso.datetime(),
    group: z.string().min(1),
    class: z.string().min(1),
    custom_details: z.record(z.string(), z.string()),
  }),
});
const resolveEvent = z.strictObject({ ...identity, event_action: z.literal('resolve') });

function expectTaken(message: WebhookMessage, { kind }: WebhookNotice): void {
  (kind === 'resolved' ? resolveEvent : triggerEvent).parse(parseBody(message));
  expect(message.via === 'http' && Buffer.byteLength(message.body)).toBeLessThanOrEqual(BODY_BYTES_MAX);
}

destinationContract({
  destination: pagerduty,
  target: { url: ENQUEUE, secrets: [KEY] },
  refused: {
    'what is no address': [{ url: 'pagerduty', secrets: [KEY] }, 'url'],
    'a missing key': [{ url: ENQUEUE, secrets: [] }, 'secret'],
    'an empty key': [{ url: `${ENQUEUE}?routing_key=`, secrets: [] }, 'secret'],
    'a secret that was made for signing': [{ url: ENQUEUE, secrets: ['whsec_c2VjcmV0'] }, 'secret'],
    'a key with a blank': [{ url: ENQUEUE, secrets: ['two words'] }, 'secret'],
  },
  expectTaken,
  readsMarkup: false,
});

test.each<[string, WebhookTarget, string]>([
  ['the secret', { url: ENQUEUE, secrets: [KEY, 'older'] }, ENQUEUE],
  [
    'the secret, at the bare host',
    { url: 'https://events.eu.pagerduty.com', secrets: [KEY] },
    ENQUEUE.replace('events.', 'events.eu.'),
  ],
  [
    'the path',
    { url: `https://events.eu.pagerduty.com/integration/${KEY}/enqueue`, secrets: ['other'] },
    ENQUEUE.replace('events.', 'events.eu.'),
  ],
  ['the query', { url: `${ENQUEUE}?routing_key=${KEY}`, secrets: ['other'] }, ENQUEUE],
  ['the query by its other name', { url: `${ENQUEUE}?a=1&integration_key=${KEY}`, secrets: [] }, `${ENQUEUE}?a=1`],
  ['the secret, through a relay', { url: 'http://127.0.0.1:9/relay', secrets: [KEY] }, 'http://127.0.0.1:9/relay'],
])('the key may be %s, and leaves the address', (_where, target, url) => {
  expect(() => pagerduty.check(target)).not.toThrow();
  const message = pagerduty.message(NOTICES.alert, target, 0);
  expect(message).toMatchObject({ url });
  expect(parseBody(message)).toMatchObject({ routing_key: KEY });
});

test('the error for a missing key names all three ways to enter it', () => {
  const check = (): void => pagerduty.check({ url: ENQUEUE, secrets: [] });
  for (const way of ['secret', '?routing_key=KEY', '/integration/KEY/enqueue']) expect(check).toThrow(way);
});

test('the end of an episode resolves the incident of its start, for any episode name', () => {
  for (const episode of ['spike:a', 'a'.repeat(256), 'ü '.repeat(300), '']) {
    const keys = [NOTICES.alert, NOTICES.resolved].map((notice) =>
      parseBody(pagerduty.message({ ...notice, episode }, { url: ENQUEUE, secrets: [KEY] }, 0)),
    );
    const [{ dedup_key: first }, { dedup_key: last }] = keys as [{ dedup_key: string }, { dedup_key: string }];
    expect(first).toBe(last);
    expect(first).toMatch(/^[\w.:-]{1,255}$/);
  }
});
