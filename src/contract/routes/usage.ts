import { periodQuery, entriesPage, entryDetail, entry, tagUsageRow, usageSeries, usageSummary } from '../usage.ts';
import { z } from 'zod';
import { CALL_OUTCOMES, DIMENSIONS, ENTRY_SOURCES } from '../../domain/usage/call.ts';
import { wholeNumber } from '../fields.ts';
import { LIMITS } from '../../config.ts';
import { writtenAmount } from '../limits.ts';
import { liveEvents } from '../live.ts';
import { usageChanges, overview } from '../overview.ts';
import { priceCoverage, usageValues } from '../values.ts';
import { PERIOD_STEPS } from '../../domain/time/period.ts';
import type { RouteTable } from '../route.ts';

/** Filter of series and lists of entries. */
export const filterQuery = z.object({
  source: z.enum(ENTRY_SOURCES).optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
  keyId: z.string().optional(),
  status: wholeNumber(0, 999).optional(),
  tag: z.string().optional().meta({ description: 'key=value' }),
});

const flag = z.enum(['true', 'false']).optional();

export const entryQuery = filterQuery.extend({
  uncertain: flag,
  unpriced: flag,
  outcome: z.enum(CALL_OUTCOMES).optional(),
  session: z.string().optional().meta({ description: 'As `sessionHash` of an entry' }),
  minCost: z
    .string()
    .optional()
    .meta({ description: 'US dollars; calls that are known to have cost so much at least' }),
});

/** Longest id that is searched. */
const ID_CHARACTERS_MAX = 256;

export const FORMATS = ['csv', 'jsonl', 'focus'] as const;

/** Period with which another one is compared. */
export const comparedQuery = z.object({
  compareStartDate: z.string().optional().meta({ description: 'ISO 8601; another period to compare with' }),
  compareEndDate: z.string().optional().meta({ description: 'ISO 8601' }),
});

export const usageRoutes = {
  'GET /api/mcp/entries': {
    summary: 'List entries, newest first, page by page',
    description:
      'The last page has no `next`. With a filter that few entries pass, a page before it may hold few or none. With `find`, everything else but the page is left out, and all of the book is looked at.',
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
        .meta({ description: "Id of a call, of a session, or the provider's of a request or an answer" }),
      limit: wholeNumber(1, LIMITS.entriesPageMax).default(50).meta({ description: 'Default: 50' }),
      cursor: z.string().optional().meta({ description: '`next` of the page before' }),
    }),
    answer: entriesPage,
  },
  'GET /api/mcp/entries/{callId}': {
    summary: 'One entry with the lines of its price and its adjustments',
    scope: 'usage:read',
    right: 'read',
    answer: entryDetail,
  },
  'POST /api/manage/entries/{callId}/resolve': {
    summary: 'Say what a call of uncertain cost has cost',
    description:
      'Reports and limits count that from now on. Tokens that are not given: those that are known; none for a call that cost nothing; else what limits counted so far.',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({
      costUsd: writtenAmount.meta({ description: 'US dollars; 0 = the provider did not charge for it' }),
      inputTokens: z.int().min(0).optional(),
      outputTokens: z.int().min(0).optional(),
      beyondBound: z.boolean().optional().meta({ description: 'Take a cost above what limits hold for the call' }),
    }),
    answer: entry,
  },
  'GET /api/manage/export': {
    summary: 'Export entries, newest first',
    description:
      'csv and jsonl have the fields of an entry (csv the name of its key too), focus the columns of the FinOps FOCUS specification 1.2. After the entries stands what organizations’ reports hold beyond them: source provider_report, a row for each UTC day, provider and model.',
    scope: 'admin',
    right: 'read',
    query: periodQuery.extend({ format: z.enum(FORMATS).default('csv'), ...filterQuery.shape }),
    answer: z.string(),
    streams: ['text/csv', 'application/jsonl'],
  },
  'GET /api/live': {
    summary: 'What happens in the workspace, as it happens',
    description:
      'Server-sent events; LiveEvents describes the data of each. A stream ends after five minutes, and its client opens another. Alerts are told to those who may read them.',
    scope: 'usage:read',
    right: 'read',
    answer: liveEvents,
    streams: ['text/event-stream'],
  },
  'GET /api/mcp/usage/by-tag': {
    summary: 'Usage and cost by the values of one tag, dearest first',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      tagKey: z.string().min(1).meta({ description: 'For instance project' }),
      limit: wholeNumber(1, 100).default(20).meta({ description: 'Default: 20' }),
    }),
    answer: z.array(tagUsageRow),
  },
  'GET /api/mcp/usage/changes': {
    summary: 'What changed between two periods, and which key, model or tag explains it',
    description:
      'The parts of each dimension and everything else come to the difference. Without dates to compare with: the time of the same length right before.',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      ...comparedQuery.shape,
      limit: wholeNumber(1, 50)
        .default(5)
        .meta({ description: 'Parts of a dimension that are shown apart; default: 5' }),
    }),
    answer: usageChanges,
  },
  'GET /api/mcp/usage/overview': {
    summary: 'Today, this month and what is to come of it, at a glance',
    description: "Days and months are those of the workspace's time zone.",
    scope: 'usage:read',
    right: 'read',
    answer: overview,
  },
  'GET /api/mcp/pricing/coverage': {
    summary: 'Which models were used, and whether and by whom they are priced',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery,
    answer: priceCoverage,
  },
  'GET /api/mcp/usage/series': {
    summary: 'Usage and cost over time, split by one dimension',
    description: `Days, weeks and months are those of the workspace's time zone. What no roll-up holds together (two tags, a tag with a model, a status with a key …) is added up from at most ${LIMITS.reportEntriesMax} entries. What an organization's reports hold beyond the calls of the gate (source provider_report) is of whole UTC days and stands where they begin.`,
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      step: z.enum(PERIOD_STEPS).default('day'),
      by: z.enum(DIMENSIONS).optional(),
      tagKey: z.string().min(1).optional().meta({ description: 'Which tag, with by=tag' }),
      limit: wholeNumber(1, 100)
        .default(20)
        .meta({ description: 'Values shown, by default 20; the others are added up as (other)' }),
      ...filterQuery.shape,
      ...comparedQuery.shape,
    }),
    answer: usageSeries,
  },
  'GET /api/mcp/usage/summary': {
    summary: 'Usage and cost of a period',
    scope: 'usage:read',
    right: 'read',
    // Other parameters are ignored, as this address promises.
    query: periodQuery.loose(),
    answer: usageSummary,
  },
  'GET /api/mcp/usage/values': {
    summary: 'What usage of a period can be split by and narrowed to, dearest first',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      tagKey: z.string().min(1).optional().meta({ description: 'Whose values are wanted too' }),
      limit: wholeNumber(1, 1_000).default(200).meta({ description: 'Values of each dimension; default: 200' }),
    }),
    answer: usageValues,
  },
} as const satisfies RouteTable;
