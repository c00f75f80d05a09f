import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseBody, destinationContract, reply } from './contract/destination-contract.ts';
import { expectEscaped } from './contract/expect-escaped.ts';
import { NOTICES } from './contract/notices.ts';
import type { WebhookMessage } from './destination.ts';
import { discord } from './discord.ts';

const TOKEN = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7B8c9D0e1F2g3H4';
const url = `https://discord.com/api/webhooks/1234567890123456789/${TOKEN}`;

/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits. Blanks at the ends don't count. */
const text = (max: number): z.ZodString => z.string().max(max).regex(/\S/);
const embed = z.strictObject({
  title: text(256),
  url: z.url(),
  description: text(4_096),
  color: z.int().min(0).max(0xffffff),
  fields: z.array(z.strictObject({ name: text(256), value: text(1_024), inline: z.boolean() })).max(25),
  footer: z.strictObject({ text: text(2_048) }),
  timestamp: z.iso.datetime(),
});
const payload = z.strictObject({
  allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
  embeds: z.tuple([embed]),
});

function expectTaken(message: WebhookMessage): void {
  const [{ title, description, fields, footer }] = payload.parse(parseBody(message)).embeds;
  const formatted = [title, description, ...fields.flatMap(({ name, value }) => [name, value])];
  expect([...formatted, footer.text].join('').length).toBeLessThanOrEqual(6_000);
  formatted.forEach(expectEscaped);
}

destinationContract({
  destination: discord,
  target: { url, secrets: [] },
  refused: {
    'what is no address': [{ url: 'discord', secrets: [] }, 'url'],
    'a channel instead of a webhook': [{ url: 'https://discord.com/channels/1/2', secrets: [] }, 'url'],
    'the variant for Slack bodies': [{ url: `${url}/slack`, secrets: [] }, 'url'],
  },
  expectTaken,
  readsMarkup: true,
});

test('a thread id is kept, and Discord responds after it stores the message', () => {
  const target = { url: `${url}?thread_id=42`, secrets: [] };
  expect(discord.message(NOTICES.alert, target, 0)).toMatchObject({ url: `${url}?thread_id=42&wait=true` });
  for (const host of ['discordapp.com', 'ptb.discord.com', 'canary.discord.com'])
    expect(() => discord.check({ url: url.replace('discord.com/api', `${host}/api/v10`), secrets: [] })).not.toThrow();
});

test('only a deleted webhook is gone, not any 404', () => {
  const unknown = JSON.stringify({ message: 'Unknown Webhook', code: 10_015 });
  expect(discord.judge(reply(404, unknown))).toEqual({ outcome: 'gone' });
  expect(discord.judge(reply(401, '{"message": "Invalid Webhook Token", "code": 50027}'))).toEqual({ outcome: 'gone' });
  expect(discord.judge(reply(404, '<html>'))).toEqual({ outcome: 'later', afterMs: null });
  expect(discord.judge(reply(404, 'null'))).toEqual({ outcome: 'later', afterMs: null });
});

test("the longer of Discord's two waits applies", () => {
  const body = '{"message": "You are being rate limited.", "retry_after": 0.6457, "global": false}';
  expect(discord.judge(reply(429, body))).toEqual({ outcome: 'later', afterMs: 646 });
  expect(discord.judge(reply(429, body, { 'retry-after': '1' }))).toEqual({ outcome: 'later', afterMs: 1_000 });
});
