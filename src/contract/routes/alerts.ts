import { z } from 'zod';
import { wholeNumber } from '../fields.ts';
import { ALERT_TYPES, SEVERITIES } from '../../domain/alerts/alert.ts';
import { alert } from '../alerts.ts';
import { periodQuery } from '../usage.ts';
import { anomalyReport, backtestReport, managedDetectionSettings, mute, muteInput } from '../anomalies.ts';
import { SENSITIVITIES } from '../../domain/anomaly/series.ts';
import {
  deliveriesPage,
  delivery,
  replayed,
  webhook,
  listedWebhook,
  webhookDetails,
  newSecret,
  digest,
} from '../webhooks.ts';
import { WEBHOOK_TYPES } from '../../domain/alerts/webhook-kinds.ts';
import { DIGESTS } from '../../domain/alerts/webhook.ts';
import type { RouteTable } from '../route.ts';

/** Most days of one backtest. */
export const BACKTEST_DAYS_MAX = 92;

export const alertRoutes = {
  'GET /api/mcp/alerts': {
    summary: 'List alerts, newest first',
    scope: 'alerts:read',
    right: 'read',
    query: z.object({
      limit: wholeNumber(1, 100).default(20).meta({ description: 'Default: 20' }),
      unreadOnly: z.enum(['true', 'false']).default('false'),
      type: z.enum(ALERT_TYPES).optional(),
      severity: z.enum(SEVERITIES).optional(),
      before: z.string().optional().meta({ description: 'Id of the last alert of the previous page' }),
    }),
    response: z.array(alert),
  },
  'GET /api/mcp/alerts/{id}': {
    summary: 'Get an alert without marking it as read',
    scope: 'alerts:read',
    right: 'read',
    response: alert,
  },
  'POST /api/mcp/alerts/{id}/read': {
    summary: 'Mark an alert as read',
    description:
      'Reading an OVERRUN acknowledges it: calls to its model, with any key of the workspace, are held at their cost bound again. Reading it again changes nothing.',
    scope: 'alerts:read',
    right: 'work',
    response: alert,
  },
  'GET /api/mcp/anomalies': {
    summary: 'List current anomalies in spending',
    description:
      'Checks calls through the gateway now: the whole workspace and its largest keys, models, providers and tag values, each compared to its own history. Local sessions are not included, because they are uploaded later. Alerts report each episode once.',
    scope: 'usage:read',
    right: 'read',
    response: anomalyReport,
  },
  'GET /api/mcp/anomalies/backtest': {
    summary: 'Run anomaly detection on a past period, with the knowledge of its time',
    description: `At most ${BACKTEST_DAYS_MAX} days, with the workspace's current settings. Mutes are ignored.`,
    scope: 'usage:read',
    right: 'read',
    query: periodQuery,
    response: backtestReport,
  },
  'GET /api/manage/detection': {
    summary: 'Get the settings of anomaly detection',
    scope: 'admin',
    right: 'read',
    response: managedDetectionSettings,
  },
  'PATCH /api/manage/detection': {
    summary: 'Change the settings of anomaly detection',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({
      sensitivity: z.enum(SENSITIVITIES).optional(),
      minExcessUsd: z.union([z.number(), z.string()]).optional().meta({ description: 'US dollars' }),
    }),
    ifMatch: true,
    response: managedDetectionSettings,
  },
  'GET /api/mcp/webhooks/{id}/deliveries': {
    summary: 'List deliveries of a webhook with all attempts, newest first',
    scope: 'webhooks:write',
    right: 'read',
    query: z.object({
      limit: wholeNumber(1, 100).default(20).meta({ description: 'Default: 20' }),
      cursor: z.string().optional().meta({ description: '`next` of the previous page' }),
    }),
    response: deliveriesPage,
  },
  'POST /api/mcp/webhooks/{id}/deliveries/{delivery}/replay': {
    summary: 'Send a delivery again',
    description: 'The message id stays the same, so that a receiver can recognize a repetition.',
    scope: 'webhooks:write',
    right: 'manage',
    response: delivery,
  },
  'POST /api/mcp/webhooks/{id}/replay': {
    summary: 'Send failed deliveries of a period again',
    scope: 'webhooks:write',
    right: 'manage',
    body: z.strictObject({
      startDate: z.string(),
      endDate: z.string().optional().meta({ description: 'Default: now' }),
      all: z.boolean().default(false).meta({ description: 'Also send delivered messages again' }),
    }),
    response: replayed,
  },
  'POST /api/mcp/webhooks/{id}/test': {
    summary: 'Send a test message immediately',
    description: 'Returns the result. Works for a disabled webhook too.',
    scope: 'webhooks:write',
    right: 'manage',
    response: delivery,
  },
  'GET /api/manage/mutes': {
    summary: 'List mutes',
    scope: 'admin',
    right: 'read',
    response: z.array(mute),
  },
  'POST /api/manage/mutes': {
    summary: 'Mute alerts of a type, a scope, or both',
    description:
      "Muted alerts are not stored or sent; the list of anomalies has the number of muted ones. Health alerts and OVERRUN can't be muted.",
    scope: 'admin',
    right: 'manage',
    body: muteInput,
    response: mute,
    status: 201,
  },
  'DELETE /api/manage/mutes/{id}': {
    summary: 'Remove a mute',
    scope: 'admin',
    right: 'manage',
    ifMatch: true,
    response: mute,
  },
  'GET /api/mcp/webhooks': {
    summary: 'List webhooks',
    scope: 'webhooks:write',
    right: 'read',
    response: z.array(listedWebhook),
  },
  'GET /api/mcp/webhooks/{id}': {
    summary: 'Get a webhook and the state of its deliveries',
    scope: 'webhooks:write',
    right: 'read',
    response: webhookDetails,
  },
  'POST /api/mcp/webhooks': {
    summary: 'Create a webhook',
    scope: 'webhooks:write',
    right: 'manage',
    body: z.object({
      name: z.string(),
      url: z.string().meta({ description: 'A public https address; mailto: for EMAIL' }),
      type: z.string().meta({ description: `One of ${WEBHOOK_TYPES.join(', ')}` }),
      events: z.array(z.string()).meta({ description: `Any of ${ALERT_TYPES.join(', ')}` }),
      secret: z.string().min(1).optional().meta({ description: 'Secret that signs messages; never shown again' }),
      digest: z.enum(DIGESTS).default('off').meta({ description: 'weekly = also sends a summary each Monday' }),
    }),
    response: webhook,
    status: 201,
  },
  'PATCH /api/mcp/webhooks/{id}': {
    summary: 'Change a webhook',
    description: "Enabling a webhook that the service disabled sends its waiting deliveries. The type can't change.",
    scope: 'webhooks:write',
    right: 'manage',
    body: z.strictObject({
      name: z.string().optional(),
      url: z.string().optional(),
      events: z
        .array(z.string())
        .optional()
        .meta({ description: `Any of ${ALERT_TYPES.join(', ')}` }),
      enabled: z.boolean().optional(),
      digest: z.enum(DIGESTS).optional(),
    }),
    ifMatch: true,
    response: webhookDetails,
  },
  'DELETE /api/mcp/webhooks/{id}': {
    summary: 'Delete a webhook and all its deliveries',
    scope: 'webhooks:write',
    right: 'manage',
    ifMatch: true,
    response: z.object({ removed: z.string() }),
  },
  'POST /api/mcp/webhooks/{id}/secret': {
    summary: 'Replace the secret of a webhook',
    description:
      'Returns the secret once. For 24 hours messages are also signed with the previous secret, unless `dropOld` is true. Without `secret` a random one is created, which works for webhooks of type CUSTOM.',
    scope: 'webhooks:write',
    right: 'manage',
    body: z.strictObject({
      secret: z.string().min(1).optional().meta({ description: 'Default: a new random one' }),
      dropOld: z.boolean().default(false),
    }),
    ifMatch: true,
    response: newSecret,
  },
  'GET /api/mcp/digest': {
    summary: 'Get the digest of the last complete week',
    description:
      'Webhooks with `digest: weekly` receive it on Monday at 08:00 in the workspace’s time zone. Limits are shown with their current state.',
    scope: 'usage:read',
    right: 'read',
    response: digest,
  },
} as const satisfies RouteTable;
