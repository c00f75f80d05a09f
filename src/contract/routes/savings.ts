import { sourceUpload, syncResult, syncUpload } from '../sync.ts';
import { savingsQuery, savings, savingsBreakdown, plan, managedSubscription, subscription } from '../sync.ts';
import { z } from 'zod';
import { PLANS } from '../../domain/sessions/plan.ts';
import { PLAN_PROVIDERS } from '../../domain/sessions/subscription.ts';
import type { RouteTable } from '../route.ts';

export const body = z.strictObject({
  plan: z.string().meta({ description: `${Object.keys(PLANS).join(', ')}, or any other name with provider and price` }),
  provider: z.enum(PLAN_PROVIDERS).optional().meta({ description: "Default: the known plan's" }),
  name: z.string().optional().meta({ description: "Display name; default: the known plan's title" }),
  monthlyCost: z.union([z.number(), z.string()]).optional().meta({ description: 'US dollars per seat' }),
  seats: z.int().min(1).default(1),
  startedAt: z.string().optional().meta({ format: 'date', description: 'First day; default: today' }),
  endedAt: z.string().nullable().default(null).meta({ format: 'date', description: 'Last day' }),
  tokens: z.array(z.string()).default([]).meta({ description: 'Ids of covered access tokens; empty = all' }),
});

const syncRoute = {
  description:
    'Records of a session and model replace the stored ones, so repeated or larger uploads are safe. Only hashes, a model name and numbers are accepted; other fields are refused.',
  scope: 'sync:write',
  right: 'work',
  body: syncUpload,
  refusal: 'unprocessable',
  response: syncResult,
} as const;

export const savingRoutes = {
  'POST /api/mcp/sync/claude-code': { summary: 'Upload usage of Claude Code sessions', ...syncRoute },
  'POST /api/mcp/sync/codex': { summary: 'Upload usage of Codex sessions', ...syncRoute },
  'POST /api/mcp/sync/sessions': {
    summary: 'Upload usage of sessions of any supported assistant',
    ...syncRoute,
    body: sourceUpload,
  },
  'GET /api/mcp/savings': {
    summary: 'Get savings of flat-rate subscriptions compared to retail prices',
    description:
      "Retail cost is the cost of covered local sessions at Tollbook's prices, without calls through the gateway, which are paid by key.",
    scope: 'usage:read',
    right: 'read',
    query: savingsQuery,
    response: savings,
  },
  'GET /api/mcp/savings/breakdown': {
    summary: 'List local usage by model at retail prices, highest cost first',
    scope: 'usage:read',
    right: 'read',
    query: savingsQuery,
    response: savingsBreakdown,
  },
  'GET /api/mcp/plans': {
    summary: 'List known flat-rate plans at list price',
    scope: 'usage:read',
    right: 'read',
    response: z.array(plan),
  },
  'GET /api/manage/subscriptions': {
    summary: 'List flat-rate subscriptions, including ended ones',
    scope: 'admin',
    right: 'read',
    response: z.array(managedSubscription),
  },
  'GET /api/mcp/subscriptions': {
    summary: 'List active flat-rate subscriptions',
    scope: 'usage:read',
    right: 'read',
    response: z.array(subscription),
  },
  'POST /api/manage/subscriptions': {
    summary: 'Add a flat-rate subscription',
    description: 'From its first day on, covered local sessions are shown in summaries but not added to the cost owed.',
    scope: 'admin',
    right: 'manage',
    body,
    response: managedSubscription,
    status: 201,
  },
  'POST /api/manage/subscriptions/{id}/end': {
    summary: 'End a flat-rate subscription',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({
      endedAt: z
        .string()
        .nullable()
        .optional()
        .meta({ format: 'date', description: 'Last day; default: today; null = remove the end' }),
    }),
    ifMatch: true,
    response: managedSubscription,
  },
} as const satisfies RouteTable;
