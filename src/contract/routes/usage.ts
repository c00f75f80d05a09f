import { costQuery, periodQuery, tagUsageRow, usageSeries, usageSummary, usageValues } from '../usage.ts';
import { entriesPage, entryDetail, entry } from '../entries.ts';
import { z } from 'zod';
import { CALL_OUTCOMES, DIMENSIONS, ENTRY_SOURCES, SECOND_DIMENSIONS } from '../../domain/usage/call.ts';
import { wholeNumber } from '../fields.ts';
import { sessionDetail, sessionList } from '../sessions.ts';
import { LIMITS } from '../../config.ts';
import { writtenAmount } from '../limits.ts';
import { liveEvents } from '../live.ts';
import { usageChanges, overview } from '../overview.ts';
import { priceCoverage } from '../prices.ts';
import { PERIOD_STEPS } from '../../domain/time/period.ts';
import type { RouteTable } from '../route.ts';
import { savedView, savedViewInput } from '../saved-views.ts';

/** Values of one parameter of a filter. */
const FILTER_VALUES_MAX = 50;

/** A parameter of a filter that may be repeated: an entry has one of the values. */
function several<Value extends z.ZodType>(value: Value) {
  return z.union([z.array(value).max(FILTER_VALUES_MAX), value]).optional();
}

/** Filter of series and lists of entries. */
export const filterQuery = z.object({
  source: several(z.enum(ENTRY_SOURCES)).meta({
    description: 'May be repeated, as all parameters of a filter; an entry has one of the values',
  }),
  provider: several(z.string()),
  model: several(z.string()),
  keyId: several(z.string()),
  status: several(wholeNumber(0, 999)),
  tag: several(z.string()).meta({ description: 'key=value' }),
  session: several(z.string()).meta({ description: '`session` of an entry' }),
  agent: several(z.string()).meta({ description: '`agent` of an entry' }),
  run: several(z.string()).meta({ description: '`run` of an entry' }),
  requestClass: several(z.string()).meta({ description: '`requestClass` of an entry' }),
  notSource: several(z.enum(ENTRY_SOURCES)).meta({
    description: 'Leaves out these sources; entries without a value stay, also for the following',
  }),
  notProvider: several(z.string()),
  notModel: several(z.string()),
  notKeyId: several(z.string()),
  notStatus: several(wholeNumber(0, 999)),
  notTag: several(z.string()).meta({ description: 'key=value' }),
  notSession: several(z.string()),
  notAgent: several(z.string()),
  notRun: several(z.string()),
  notRequestClass: several(z.string()),
});

const flag = z.enum(['true', 'false']).optional();

export const entryQuery = filterQuery.extend({
  uncertain: flag,
  open: z.literal('true').optional().meta({
    description: 'Only calls that the provider had not finished when they were recorded: batches, background responses',
  }),
  unpriced: flag,
  outcome: z.enum(CALL_OUTCOMES).optional(),
  minCost: z.string().optional().meta({ description: 'US dollars; calls with at least this known cost' }),
});

/** Longest id that is searched. */
const ID_CHARACTERS_MAX = 256;

export const FORMATS = ['csv', 'jsonl', 'focus'] as const;

/** Period with which another one is compared. */
export const comparedQuery = z.object({
  compareStartDate: z.string().optional().meta({ description: 'ISO 8601; a period to compare with' }),
  compareEndDate: z.string().optional().meta({ description: 'ISO 8601' }),
});

export const usageRoutes = {
  'GET /api/mcp/entries': {
    summary: 'List entries, newest first, page by page',
    description:
      'The last page has no `next`. If few entries match the filter, earlier pages may have few or none. `find` searches the whole ledger, refused calls too, and ignores all other parameters except those for pages.',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      ...entryQuery.shape,
      find: z
        .string()
        .trim()
        .min(1)
        .max(ID_CHARACTERS_MAX)
        .optional()
        .meta({ description: "Id of a call or a session, or the provider's id of a request or response" }),
      limit: wholeNumber(1, LIMITS.entriesPageMax).default(50).meta({ description: 'Default: 50' }),
      cursor: z.string().optional().meta({ description: '`next` of the previous page' }),
    }),
    response: entriesPage,
  },
  'GET /api/mcp/entries/{callId}': {
    summary: 'Get an entry with its price lines and adjustments',
    scope: 'usage:read',
    right: 'read',
    response: entryDetail,
  },
  'POST /api/manage/entries/{callId}/resolve': {
    summary: 'Enter the cost of an uncertain call',
    description:
      'Summaries and limits use this cost from now on. Absent tokens default to the known ones, to none for a call that cost nothing, or else to those that limits counted.',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({
      costUsd: writtenAmount.meta({ description: 'US dollars; 0 = the provider did not charge for it' }),
      inputTokens: z.int().min(0).optional(),
      outputTokens: z.int().min(0).optional(),
      beyondBound: z.boolean().optional().meta({ description: 'Accept a cost above the cost bound of the call' }),
    }),
    response: entry,
  },
  'GET /api/manage/export': {
    summary: 'Export entries, newest first',
    description:
      'csv and jsonl have the fields of an entry (csv also the name of its key); focus has the columns of the FinOps FOCUS specification 1.2. Unproxied usage follows the entries: source provider_report, a row for each UTC day, provider and model.',
    scope: 'admin',
    right: 'read',
    query: periodQuery.extend({ format: z.enum(FORMATS).default('csv'), ...filterQuery.shape }),
    response: z.string(),
    streams: ['text/csv', 'application/jsonl'],
  },
  'GET /api/manage/views': {
    summary: 'List saved views of the dashboard, by name',
    scope: 'admin',
    right: 'read',
    response: z.array(savedView),
  },
  'POST /api/manage/views': {
    summary: 'Save a view of the dashboard for everybody in the workspace',
    description: 'A view with the same name gets the new address.',
    scope: 'admin',
    right: 'work',
    body: savedViewInput,
    response: savedView,
    status: 201,
  },
  'DELETE /api/manage/views/{id}': {
    summary: 'Delete a saved view',
    scope: 'admin',
    right: 'work',
    ifMatch: true,
    response: savedView,
  },
  'GET /api/mcp/sessions': {
    summary: 'List sessions of calls with their sums',
    description:
      'A session of calls is what the headers of its calls name; see docs/sessions.md. It is summed from entries that retention has not deleted.',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      ...filterQuery.shape,
      sort: z.enum(['recent', 'cost']).default('recent').meta({ description: 'Default: recent, by the last call' }),
      limit: wholeNumber(1, 500).default(50).meta({ description: 'Default: 50' }),
    }),
    response: sessionList,
  },
  'GET /api/mcp/session': {
    summary: 'Get a session of calls with its tree of agents',
    scope: 'usage:read',
    right: 'read',
    query: z.object({
      session: z.string().min(1).meta({
        description:
          'Name of the session, the id that Claude Code or Codex has for it, or the beginning of a name, if no other has it',
      }),
      startDate: z.string().optional().meta({ description: 'ISO 8601; default: the first call of the session' }),
      endDate: z.string().optional().meta({ description: 'ISO 8601; default: now' }),
      limit: wholeNumber(1, 1_000).default(200).meta({ description: 'Most agents, and most runs; default: 200' }),
    }),
    response: sessionDetail,
  },
  'GET /api/live': {
    summary: 'Stream events of the workspace',
    description:
      'Server-sent events; LiveEvents describes their data. A stream ends after five minutes, and its client opens another. Alerts are sent only to callers who may read them.',
    scope: 'usage:read',
    right: 'read',
    response: liveEvents,
    streams: ['text/event-stream'],
  },
  'GET /api/mcp/usage/by-tag': {
    summary: 'Get usage and cost by the values of a tag, highest cost first',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      tagKey: z.string().min(1).meta({ description: 'For example project' }),
      limit: wholeNumber(1, 100).default(20).meta({ description: 'Default: 20' }),
      ...costQuery.shape,
    }),
    response: z.array(tagUsageRow),
  },
  'GET /api/mcp/usage/changes': {
    summary: 'Compare two periods and find the key, model or tag that explains the change',
    description:
      'In each dimension, its parts and the rest add up to the difference. Default comparison: the period of the same length right before.',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      ...comparedQuery.shape,
      limit: wholeNumber(1, 50)
        .default(5)
        .meta({ description: 'Parts of a dimension that are shown separately; default: 5' }),
    }),
    response: usageChanges,
  },
  'GET /api/mcp/usage/overview': {
    summary: 'Get an overview of today, this month and its forecast',
    description: "Days and months are in the workspace's time zone.",
    scope: 'usage:read',
    right: 'read',
    response: overview,
  },
  'GET /api/mcp/pricing/coverage': {
    summary: 'List used models and the sources of their prices',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery,
    response: priceCoverage,
  },
  'GET /api/mcp/usage/series': {
    summary: 'Get usage and cost over time, split by one or two dimensions',
    description: `Days, weeks and months are in the workspace's time zone. Combinations that no roll-up has (two tags, a tag with a model, a status with a key …) are summed from at most ${LIMITS.reportEntriesMax} entries. Unproxied usage from provider reports (source provider_report) covers whole UTC days and is counted at their start.`,
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      step: z.enum(PERIOD_STEPS).default('day'),
      by: z.enum(DIMENSIONS).optional(),
      tagKey: z.string().min(1).optional().meta({ description: 'Key of the tag; with by=tag' }),
      and: z
        .enum(SECOND_DIMENSIONS)
        .optional()
        .meta({ description: 'A second dimension: usage of each pair of values' }),
      limit: wholeNumber(1, 100)
        .default(20)
        .meta({ description: 'Number of values shown; default: 20. Others are summed as (other)' }),
      ...filterQuery.shape,
      ...comparedQuery.shape,
      ...costQuery.shape,
    }),
    response: usageSeries,
  },
  'GET /api/mcp/usage/summary': {
    summary: 'Get usage and cost of a period',
    scope: 'usage:read',
    right: 'read',
    // Other parameters are ignored, as this address promises.
    query: periodQuery.extend(costQuery.shape).loose(),
    response: usageSummary,
  },
  'GET /api/mcp/usage/values': {
    summary: 'List values by which usage of a period can be split or filtered, highest cost first',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      tagKey: z.string().min(1).optional().meta({ description: 'Key of a tag whose values are also listed' }),
      limit: wholeNumber(1, 1_000).default(200).meta({ description: 'Number of values per dimension; default: 200' }),
    }),
    response: usageValues,
  },
} as const satisfies RouteTable;
