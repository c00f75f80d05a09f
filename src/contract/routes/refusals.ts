import { z } from 'zod';
import { LIMITS } from '../../config.ts';
import { REFUSAL_REASONS } from '../../domain/limits/refusal.ts';
import { wholeNumber } from '../fields.ts';
import { REFUSAL_GROUPS, refusalCounts, refusalsPage } from '../refusals.ts';
import type { RouteTable } from '../route.ts';
import { periodQuery } from '../usage.ts';

const filter = {
  limitId: z.string().optional(),
  keyId: z.string().optional(),
  reason: z.enum(REFUSAL_REASONS).optional(),
};

export const refusalRoutes = {
  'GET /api/mcp/refusals': {
    summary: 'List calls that limits refused, newest first, page by page',
    description:
      'They were not sent, cost nothing, and are in no usage summary. Above 60 a minute of a key, calls of one minute with the same limit and reason are one record with their number, without session, agent, run, model and tags.',
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({
      ...filter,
      session: z.string().optional().meta({ description: '`session` of a refusal. Default period with it: all time' }),
      agent: z.string().optional().meta({ description: '`agent` of a refusal' }),
      run: z.string().optional().meta({ description: '`run` of a refusal' }),
      limit: wholeNumber(1, LIMITS.entriesPageMax).default(50).meta({ description: 'Default: 50' }),
      cursor: z.string().optional().meta({ description: '`nextCursor` of the previous page' }),
    }),
    response: refusalsPage,
  },
  'GET /api/mcp/refusals/counts': {
    summary: 'Count calls that limits refused, most first, or by day',
    description: "Days are in the workspace's time zone; days without refusals are left out.",
    scope: 'usage:read',
    right: 'read',
    query: periodQuery.extend({ ...filter, by: z.enum(REFUSAL_GROUPS).default('limit') }),
    response: refusalCounts,
  },
} as const satisfies RouteTable;
