import type * as AdaptiveCards from 'adaptivecards';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseBody, destinationContract } from './contract/destination-contract.ts';
import { expectEscaped } from './contract/expect-escaped.ts';
import { NOTICES } from './contract/notices.ts';
import type { WebhookMessage } from './destination.ts';
import { teams } from './teams.ts';

const PATH = '/workflows/0f1e2d3c4b5a/triggers/manual/paths/invoke';
const QUERY = '?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=Ab-_12%2Bxyz';
const url = `https://prod-12.westeurope.logic.azure.com:443${PATH}${QUERY}`;
const BODY_BYTES_MAX = 28 * 1_024;

/** What is read of a card here; whether it is one is for `AdaptiveCard` to say. */
const card = z.strictObject({
  $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
  type: z.literal('AdaptiveCard'),
  version: z.literal('1.4'),
  fallbackText: z.string().min(1),
  body: z.array(
    z.union([
      z.looseObject({ type: z.literal('TextBlock'), text: z.string().min(1) }),
      z.looseObject({
        type: z.literal('FactSet'),
        facts: z.array(z.strictObject({ title: z.string().min(1), value: z.string().min(1) })).min(1),
      }),
    ]),
  ),
  actions: z.tuple([z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string().min(1), url: z.url() })]),
});
const attachment = z.strictObject({
  contentType: z.literal('application/vnd.microsoft.card.adaptive'),
  contentUrl: z.null(),
  content: card,
});
const payload = z.strictObject({ type: z.literal('message'), attachments: z.tuple([attachment]) });

/** The build that Node can read. */
const { AdaptiveCard, SerializationContext, Versions } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
) as typeof AdaptiveCards;

/** What the official reader has to say against a card. */
function complaints(content: object): readonly string[] {
  const context = new SerializationContext(Versions.v1_4);
  const parsed = new AdaptiveCard();
  parsed.parse(content, context);
  const whileReading = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message);
  return [...whileReading, ...parsed.validateProperties().validationEvents.map(({ message }) => message)];
}

const OURS =
  / · \{\{DATE\(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, SHORT\)\}\} \{\{TIME\(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\)\}\}$/;

function expectTaken(message: WebhookMessage): void {
  const body = payload.parse(parseBody(message));
  expect(message.via === 'http' && Buffer.byteLength(message.body)).toBeLessThanOrEqual(BODY_BYTES_MAX);
  const [{ content }] = body.attachments;
  expect(complaints(content)).toEqual([]);
  expectEscaped(content.fallbackText);
  for (const element of content.body) {
    if (element.type === 'TextBlock') expectEscaped(element.text.replace(OURS, ''));
    else element.facts.flatMap(({ title, value }) => [title, value]).forEach(expectEscaped);
  }
}

destinationContract({
  destination: teams,
  target: { url, secrets: [] },
  refused: {
    'what is no address': [{ url: 'teams', secrets: [] }, 'url'],
    'a retired connector': [{ url: 'https://contoso.webhook.office.com/webhookb2/x', secrets: [] }, 'url'],
    'an address without its signature': [{ url: `https://prod-1.logic.azure.com${PATH}`, secrets: [] }, 'url'],
  },
  expectTaken,
  readsMarkup: true,
});

test('the message goes to the URL as entered, including its signature', () => {
  expect(teams.message(NOTICES.alert, { url, secrets: [] }, 0)).toMatchObject({ url });
});

test('the newer URLs of Power Platform are accepted', () => {
  const newer = `https://default0f1e.2d.environment.api.powerplatform.com:443/powerautomate/automations/direct${PATH}${QUERY}`;
  expect(() => teams.check({ url: newer, secrets: [] })).not.toThrow();
});

test('the official validator rejects an invalid card of this version', () => {
  const text = { type: 'TextBlock', text: 'x', color: 'Red' };
  const table = { type: 'Table', rows: [] };
  const wrong = { type: 'AdaptiveCard', version: '1.4', body: [text, table], actions: [{ type: 'Action.OpenUrl' }] };
  expect(complaints(wrong)).toHaveLength(3);
});
