import { z } from 'zod';
import { webhook } from '../contract/webhooks.ts';
import { EVENT_NAMES, parseEvents, parseWebhookType } from '../domain/alerts/webhook.ts';
import { WEBHOOK_KINDS, WEBHOOK_TYPES } from '../domain/alerts/webhook-kinds.ts';
import { complaint, text } from './parameters.ts';
import { cell } from './render.ts';
import { defineTool } from './tool.ts';

/** Kinds that an assistant can set up; the others ask for what is given on the command line. */
const kinds = WEBHOOK_TYPES.filter((type) => WEBHOOK_KINDS[type].inTools);
const types = kinds.map((type) => type.toLowerCase());
/** For instance `slack (Slack, a channel)`. */
const receivers = kinds.map(
  (type) => `${type.toLowerCase()} (${WEBHOOK_KINDS[type].name}, ${WEBHOOK_KINDS[type].note})`,
);
const events = EVENT_NAMES.map((event) => event.toLowerCase());
const EVENTS_MAX = 50;
const oneOfTypes = complaint(`one of ${types.join(', ')}`);
const someEvents = complaint(`a list of at least one of ${events.join(', ')}`);

/** In any case; known words only, which the schema names in lower case. */
const type = z
  .string({ error: oneOfTypes })
  .refine((name) => types.includes(name.trim().toLowerCase()), { error: oneOfTypes })
  .meta({ enum: types, description: 'Type of destination' });
const event = z
  .string({ error: someEvents })
  .refine((name) => events.includes(name.trim().toLowerCase()), { error: someEvents })
  .meta({ enum: events });

export const createWebhook = defineTool({
  name: 'svc_create_webhook',
  title: 'Create a webhook',
  description: `Sends future alerts of the workspace to an address: ${receivers.join(', ')}. Events: cost_spike, budget_warning, budget_exceeded, budget_alert (both of these), anomaly (also unusual_activity), error_spike, rate_limit and more. Ask before you create one: alerts show what is spent on what. Signing secrets are set on the command line only.`,
  input: {
    name: text('a name').describe('Display name'),
    url: text('a public https address').describe('Public and https'),
    type,
    events: z
      .array(event, { error: someEvents })
      .min(1, { error: someEvents })
      .max(EVENTS_MAX, { error: someEvents })
      .describe('Events to send, for example ["cost_spike", "budget_alert"]'),
  },
  output: z.object({ webhook }),
  hints: { readOnly: false, idempotent: false, zone: 'workspace' },
  needsFiles: false,
  async run({ name, url, ...named }, { client, signal }) {
    const body = { name, url, type: parseWebhookType(named.type), events: [...parseEvents(named.events)] };
    return { webhook: await client.call('POST /api/mcp/webhooks', { body, signal }) };
  },
  markdown({ webhook: { id, name, type: kind, url, events: gets } }) {
    return `Webhook "${cell(name)}" (${id}) sends ${gets.join(', ').toLowerCase()} to ${cell(url)} as ${kind.toLowerCase()}.`;
  },
});
