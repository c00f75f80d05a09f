import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseBody, destinationContract, listTexts } from './contract/destination-contract.ts';
import { NOTICES } from './contract/notices.ts';
import type { WebhookMessage, WebhookNotice } from './destination.ts';
import { opsgenie } from './opsgenie.ts';

const KEY = 'eb243592-faa2-4ba2-a551-1afdf565c889';
const ALERTS = 'https://api.opsgenie.com/v2/alerts';
const DETAILS_MAX = 8_000;

/** https://docs.opsgenie.com/docs/alert-api. */
const createAlert = z.strictObject({
  message: z.string().min(1).max(130),
  alias: z.string().min(1).max(512),
  description: z.string().max(15_000),
  details: z.record(z.string(), z.string()),
  entity: z.string().max(512),
  source: z.string().max(100),
  tags: z.array(z.string().max(50)).max(20),
  priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']),
});
const closeAlert = z.strictObject({ source: z.string().max(100), note: z.string().max(25_000) });

function expectTaken(message: WebhookMessage, { kind }: WebhookNotice): void {
  const body = parseBody(message);
  if (kind === 'resolved') closeAlert.parse(body);
  else {
    const { details } = createAlert.parse(body);
    expect(Object.entries(details).flat().join('').length).toBeLessThanOrEqual(DETAILS_MAX);
  }
  // Opsgenie shows some of HTML in these.
  for (const text of listTexts(body)) expect(text).not.toMatch(/<[a-z/!]/i);
  expect(message).toMatchObject({ headers: { authorization: `GenieKey ${KEY}` } });
}

destinationContract({
  destination: opsgenie,
  target: { url: ALERTS, secrets: [KEY] },
  refused: {
    'what is no address': [{ url: 'opsgenie', secrets: [KEY] }, 'url'],
    'another path': [{ url: 'https://api.opsgenie.com/v1/json/alert', secrets: [KEY] }, 'url'],
    'a missing key': [{ url: ALERTS, secrets: [] }, 'secret'],
    'a key that would break a header': [{ url: ALERTS, secrets: ['a\r\nx: y'] }, 'secret'],
  },
  expectTaken,
  readsMarkup: true,
});

test.each([
  ['https://api.eu.opsgenie.com', 'https://api.eu.opsgenie.com/v2/alerts'],
  ['https://api.eu.opsgenie.com/v2/alerts/', 'https://api.eu.opsgenie.com/v2/alerts'],
  [
    'https://api.atlassian.com/jsm/ops/integration/v2/alerts',
    'https://api.atlassian.com/jsm/ops/integration/v2/alerts',
  ],
])('%s is sent to %s', (url, alerts) => {
  const target = { url, secrets: [KEY] };
  expect(opsgenie.message(NOTICES.alert, target, 0)).toMatchObject({ url: alerts });
  const alias = encodeURIComponent(NOTICES.alert.episode);
  expect(opsgenie.message(NOTICES.resolved, target, 0)).toMatchObject({
    url: `${alerts}/${alias}/close?identifierType=alias`,
  });
});
