import { z } from 'zod';
import { wholeNumber } from '../fields.ts';
import { ALERT_TYPES, SEVERITIES } from '../../domain/alerts/alert.ts';
import { alert, periodQuery } from '../usage.ts';
import { anomalyReport, backtestReport, detectionSettings, mute, muteInput } from '../anomalies.ts';
import { SENSITIVITIES } from '../../domain/anomaly/series.ts';
import { deliveriesPage, delivery, replayed, webhook, webhookDetails, newSecret, digest } from '../webhooks.ts';
import { WEBHOOK_TYPES } from '../../domain/alerts/webhook-kinds.ts';
import { DIGESTS } from '../../domain/alerts/webhook.ts';
import { seen, seenBody } from '../seen.ts';
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
      before: z.string().optional().meta({ description: 'Id of the last one on the page before, for older ones' }),
    }),
    answer: z.array(alert),
  },
  'GET /api/mcp/alerts/{id}': {
    summary: 'One alert; asking does not mark it as read',
    scope: 'alerts:read',
    right: 'read',
    answer: alert,
  },
  'POST /api/mcp/alerts/{id}/read': {
    summary: 'Mark an alert as read',
    description:
      'Reading an OVERRUN acknowledges it: calls to its model, of all keys of the workspace, are held at their bound again. Reading twice is once.',
    scope: 'alerts:read',
    right: 'work',
    answer: alert,
  },
  'GET /api/mcp/anomalies': {
    summary: 'What is unusual in present spending',
    description:
      'Looked at now, in calls that went through the gate: the whole workspace and its biggest keys, models, providers and tag values, each against its own past. Local sessions are no part of it: they are uploaded when their hours are over. Alerts tell of the same once for each episode.',
    scope: 'usage:read',
    right: 'read',
    answer: anomalyReport,
  },
  'GET /api/mcp/anomalies/backtest': {
    summary: 'What would have been found in a time that is over, by what was known then',
    description: `At most ${BACKTEST_DAYS_MAX} days, with the workspace's present settings. Mutes are no part of it.`,
    scope: 'usage:read',
    right: 'read',
    query: periodQuery,
    answer: backtestReport,
  },
  'GET /api/manage/detection': {
    summary: 'How sensitive the workspace is to what is unusual',
    scope: 'admin',
    right: 'read',
    answer: detectionSettings,
  },
  'PATCH /api/manage/detection': {
    summary: 'Change how sensitive the workspace is to what is unusual',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({
      sensitivity: z.enum(SENSITIVITIES).optional(),
      minExcessUsd: z.union([z.number(), z.string()]).optional().meta({ description: 'US dollars' }),
    }),
    answer: detectionSettings,
  },
  'GET /api/mcp/webhooks/{id}/deliveries': {
    summary: 'What a webhook has sent and still will, newest first, with every attempt',
    scope: 'webhooks:write',
    right: 'read',
    query: z.object({
      limit: wholeNumber(1, 100).default(20).meta({ description: 'Default: 20' }),
      cursor: z.string().optional().meta({ description: '`next` of the page before' }),
    }),
    answer: deliveriesPage,
  },
  'POST /api/mcp/webhooks/{id}/deliveries/{delivery}/replay': {
    summary: 'Send a delivery again',
    description: 'Under the same message id: a receiver that has it already knows the repetition.',
    scope: 'webhooks:write',
    right: 'manage',
    answer: delivery,
  },
  'POST /api/mcp/webhooks/{id}/replay': {
    summary: 'Send again what was not delivered in a period',
    scope: 'webhooks:write',
    right: 'manage',
    body: z.strictObject({
      startDate: z.string(),
      endDate: z.string().optional().meta({ description: 'Default: now' }),
      all: z.boolean().default(false).meta({ description: 'What was delivered too' }),
    }),
    answer: replayed,
  },
  'POST /api/mcp/webhooks/{id}/test': {
    summary: 'Send a test at once',
    description: 'Answers with how it went; a webhook that is disabled can be tried too.',
    scope: 'webhooks:write',
    right: 'manage',
    answer: delivery,
  },
  'GET /api/manage/mutes': {
    summary: 'What nobody is told of',
    scope: 'admin',
    right: 'read',
    answer: z.array(mute),
  },
  'POST /api/manage/mutes': {
    summary: 'Mute alerts of a type, a scope, or both',
    description:
      'What is muted is not stored as an alert and not sent; the list of anomalies says how many are left out. Trouble of the installation and OVERRUN are always told.',
    scope: 'admin',
    right: 'manage',
    body: muteInput,
    answer: mute,
    status: 201,
  },
  'DELETE /api/manage/mutes/{id}': {
    summary: 'Remove a mute',
    scope: 'admin',
    right: 'manage',
    answer: mute,
  },
  'GET /api/mcp/webhooks': {
    summary: 'List webhooks',
    scope: 'webhooks:write',
    right: 'read',
    answer: z.array(webhook),
  },
  'GET /api/mcp/webhooks/{id}': {
    summary: 'One webhook, and how its deliveries do',
    scope: 'webhooks:write',
    right: 'read',
    answer: webhookDetails,
  },
  'POST /api/mcp/webhooks': {
    summary: 'Create a webhook',
    scope: 'webhooks:write',
    right: 'manage',
    body: z.object({
      name: z.string(),
      url: z.string().meta({ description: 'Public and https; mailto: for EMAIL' }),
      type: z.string().meta({ description: `One of ${WEBHOOK_TYPES.join(', ')}` }),
      events: z.array(z.string()).meta({ description: `Of ${ALERT_TYPES.join(', ')}` }),
      secret: z.string().min(1).optional().meta({ description: 'Signs what is sent; never shown again' }),
      digest: z.enum(DIGESTS).default('off').meta({ description: 'weekly = a summary each Monday too' }),
    }),
    answer: webhook,
    status: 201,
  },
  'PATCH /api/mcp/webhooks/{id}': {
    summary: 'Change a webhook',
    description: 'Enabling one that the service had disabled lets it send what still waits. Its type stays what it is.',
    scope: 'webhooks:write',
    right: 'manage',
    body: z.strictObject({
      name: z.string().optional(),
      url: z.string().optional(),
      events: z
        .array(z.string())
        .optional()
        .meta({ description: `Of ${ALERT_TYPES.join(', ')}` }),
      enabled: z.boolean().optional(),
      digest: z.enum(DIGESTS).optional(),
      seen,
    }),
    answer: webhookDetails,
  },
  'DELETE /api/mcp/webhooks/{id}': {
    summary: 'Remove a webhook, with what it has sent and still would',
    scope: 'webhooks:write',
    right: 'manage',
    body: seenBody,
    answer: z.object({ removed: z.string() }),
  },
  'POST /api/mcp/webhooks/{id}/secret': {
    summary: 'Give a webhook a new secret',
    description:
      'Answers with it this once. For 24 hours messages are signed with the one before too, unless `dropOld` says otherwise. Without `secret` one is made, which suits a webhook of type CUSTOM.',
    scope: 'webhooks:write',
    right: 'manage',
    body: z.strictObject({
      secret: z.string().min(1).optional().meta({ description: 'Default: a new random one' }),
      dropOld: z.boolean().default(false),
    }),
    answer: newSecret,
  },
  'GET /api/mcp/digest': {
    summary: 'The digest of the last week that is over',
    description:
      'As webhooks with `digest: weekly` get it on Monday at 08:00 of the workspace’s time zone. Limits are shown as they stand now.',
    scope: 'usage:read',
    right: 'read',
    answer: digest,
  },
} as const satisfies RouteTable;
