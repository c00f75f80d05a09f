import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseBody, destinationContract, reply, listTexts } from './contract/destination-contract.ts';
import { NOTICES } from './contract/notices.ts';
import type { WebhookMessage } from './destination.ts';
import { slack } from './slack.ts';

const target = { url: 'https://hooks.slack.com/services/T024BE7LD/B03KX9Q1Z/XXXXXXXXXXXXXXXXXXXXXXXX', secrets: [] };

/** Block Kit, as far as it is used: https://docs.slack.dev/reference/block-kit/blocks. */
const plainText = z.strictObject({
  type: z.literal('plain_text'),
  text: z.string().min(1).max(3_000),
  emoji: z.boolean(),
});
const mrkdwn = z.strictObject({ type: z.literal('mrkdwn'), text: z.string().min(1).max(3_000), verbatim: z.boolean() });
const header = z.strictObject({
  type: z.literal('header'),
  text: plainText.extend({ text: z.string().min(1).max(150) }),
});
const field = z.union([
  plainText.extend({ text: z.string().min(1).max(2_000) }),
  mrkdwn.extend({ text: z.string().min(1).max(2_000) }),
]);
const section = z.union([
  z.strictObject({ type: z.literal('section'), text: plainText }),
  z.strictObject({ type: z.literal('section'), fields: z.array(field).min(1).max(10) }),
]);
const context = z.strictObject({
  type: z.literal('context'),
  elements: z
    .array(z.union([plainText, mrkdwn]))
    .min(1)
    .max(10),
});
const payload = z.strictObject({
  text: z.string().min(1).max(4_000),
  mrkdwn: z.boolean(),
  unfurl_links: z.boolean(),
  blocks: z
    .array(z.union([header, section, context]))
    .min(1)
    .max(50),
});

/** The two things that are meant as markup. */
const OURS =
  /<!date\^\d+\^\{date_short_pretty\} \{time\}\|[\dT:.Z-]+>|<https:\/\/tollbook\.example\.com[^|>]*\|Open in Tollbook>/g;

function expectTaken(message: WebhookMessage): void {
  const body = payload.parse(parseBody(message));
  expect(body.text).not.toMatch(/[<>]/);
  for (const text of listTexts(body.blocks)) {
    const theirs = text.replace(OURS, '');
    expect(theirs).not.toMatch(/<(?!\u2060)\S/);
  }
}

destinationContract({
  destination: slack,
  target,
  refused: {
    'what is no address': [{ url: 'hooks.slack.com', secrets: [] }, 'url'],
    'another protocol': [{ url: 'ftp://hooks.slack.com/services/T/B/X', secrets: [] }, 'url'],
    'an address with a user name': [{ url: 'https://a@hooks.slack.com/services/T/B/X', secrets: [] }, 'url'],
    'an address with a password': [{ url: 'https://a:b@hooks.slack.com/services/T/B/X', secrets: [] }, 'url'],
    'an address with a fragment': [{ url: `${target.url}#x`, secrets: [] }, 'url'],
    'the trigger of a workflow': [{ url: 'https://hooks.slack.com/triggers/T/1/X', secrets: [] }, 'url'],
    'a webhook that was not copied whole': [{ url: 'https://hooks.slack.com/services/T/B', secrets: [] }, 'url'],
  },
  expectTaken,
  readsMarkup: true,
});

test('URLs of Slack-compatible receivers on other hosts are accepted', () => {
  expect(() => slack.check({ url: 'https://chat.example.com/hooks/abc', secrets: [] })).not.toThrow();
});

test('text that Slack reads as markup is escaped, and plain text has no markup', () => {
  const hostile = { ...NOTICES.alert, title: '<!channel> & *b*', facts: [{ name: '*_a_b_*', value: '*bold* <@U1>' }] };
  const body = payload.parse(parseBody(slack.message(hostile, target, 0)));
  expect(body.text).toMatch(/^&lt;!channel&gt; &amp; \*b\*: /);
  expect(body.mrkdwn).toBe(false);
  expect(body.blocks[2]).toEqual({
    type: 'section',
    fields: [
      { type: 'mrkdwn', text: '*  a_b  *', verbatim: true },
      { type: 'plain_text', text: '*bold* <\u2060@U1>', emoji: false },
    ],
  });
});

test.each([
  [404, 'no_service'],
  [404, 'channel_not_found\n'],
  [410, 'channel_is_archived'],
  [403, 'invalid_token'],
])('a webhook that Slack took away is gone: %i %j', (status, body) => {
  expect(slack.judge(reply(status, body))).toEqual({ outcome: 'gone' });
});

test('a refused or rate-limited message does not disable the webhook', () => {
  expect(slack.judge(reply(403, 'action_prohibited'))).toEqual({ outcome: 'later', afterMs: null });
  expect(slack.judge(reply(400, 'invalid_payload'))).toEqual({ outcome: 'refused' });
  expect(slack.judge(reply(503, 'no_service'))).toEqual({ outcome: 'later', afterMs: null });
  expect(slack.judge(reply(200, 'no_service'))).toEqual({ outcome: 'delivered' });
});
