import { expect, test } from 'vitest';
import { readWebhookAddress, readWebhookChange, readWebhook } from './read-webhook.ts';

const form =
  (fields: Readonly<Record<string, string>>) =>
  (name: string): string =>
    fields[name] ?? '';

test('mailboxes are typed and shown as a list', () => {
  const fields = form({ name: 'ops', address: 'a@example.com, b@example.com', COST_SPIKE: 'yes', digest: 'yes' });
  expect(readWebhook(fields, 'EMAIL')).toEqual({
    name: 'ops',
    type: 'EMAIL',
    url: 'mailto:a@example.com,b@example.com',
    events: ['COST_SPIKE'],
    digest: 'weekly',
  });
  expect(readWebhookAddress('mailto:a@example.com,b@example.com', 'EMAIL')).toBe('a@example.com, b@example.com');
});

test('a key is sent if given, and incident receivers get no digest', () => {
  const fields = form({ name: 'pd', address: 'https://events.pagerduty.com/v2/enqueue', secret: 'k' });
  expect(readWebhook(fields, 'PAGERDUTY')).toEqual({
    name: 'pd',
    type: 'PAGERDUTY',
    url: 'https://events.pagerduty.com/v2/enqueue',
    events: [],
    secret: 'k',
  });
  expect(readWebhookChange(form({ digest: 'yes' }), 'OPSGENIE')).not.toHaveProperty('digest');
});
