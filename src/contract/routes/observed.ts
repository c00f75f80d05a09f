import { z } from 'zod';
import { LIMITS } from '../../config.ts';
import { wholeNumber } from '../fields.ts';
import { observedCallsPage, observedOutcomes, usageEvents, usageEventsResult } from '../observed.ts';
import type { RouteTable } from '../route.ts';
import { periodQuery } from '../usage.ts';

const TYPES = ['application/x-protobuf', 'application/json'];

const telemetryRoute = {
  scope: 'otlp:write',
  right: 'work',
  bodyTypes: TYPES,
  response: z.unknown(),
  streams: TYPES,
} as const;

const calls = `Calls of coding assistants, and of programs that use OpenTelemetry's GenAI conventions, are recorded; see docs/telemetry.md. Everything else is ignored. At most ${LIMITS.telemetryBodyBytesMax / 1_048_576} MiB, also with content-encoding gzip.`;
const logs = { summary: 'Receive log records by OTLP', description: calls, ...telemetryRoute };
const traces = { summary: 'Receive spans by OTLP', description: calls, ...telemetryRoute };
const metrics = {
  summary: 'Receive metrics by OTLP',
  description:
    'Commits, pull requests, lines and tokens that assistants count are kept by day; see `GET /api/mcp/observed-outcomes`. Metrics are sums of calls that logs report, and are never counted as calls.',
  ...telemetryRoute,
};

export const observedRoutes = {
  'POST /v1/logs': logs,
  'POST /v1/traces': traces,
  'POST /v1/metrics': metrics,
  'POST /otlp/v1/logs': logs,
  'POST /otlp/v1/traces': traces,
  'POST /otlp/v1/metrics': metrics,
  'POST /api/usage/events': {
    summary: 'Report calls that did not go through the gateway',
    description:
      'For programs that can neither call through the gateway nor send telemetry. All events are stored, or none. An event with an id of the provider or of the gateway counts once with the call that has the same id.',
    scope: 'sync:write',
    right: 'work',
    body: usageEvents,
    refusal: 'unprocessable',
    response: usageEventsResult,
  },
  'GET /api/mcp/observed-calls': {
    summary: 'List calls that telemetry and usage events reported, newest first',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      possibleDuplicates: z
        .enum(['true', 'false'])
        .optional()
        .meta({ description: 'true = only calls that may be calls of the gateway as well' }),
      limit: wholeNumber(1, LIMITS.entriesPageMax).default(50).meta({ description: 'Default: 50' }),
      cursor: z.string().optional().meta({ description: '`nextCursor` of the previous page' }),
    }),
    response: observedCallsPage,
  },
  'GET /api/mcp/observed-outcomes': {
    summary: 'Outcomes that assistants reported by metrics, by day, person and assistant, oldest first',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      by: z.enum(['assistant', 'session']).default('assistant').meta({ description: 'session = by session as well' }),
    }),
    response: observedOutcomes,
  },
} as const satisfies RouteTable;
