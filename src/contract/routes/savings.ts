import { syncResult, syncUpload } from '../sync.ts';
import { savingsQuery, savings, savingsBreakdown, plan, subscription } from '../sync.ts';
import { z } from 'zod';
import { PLANS } from '../../domain/sessions/plan.ts';
import { PLAN_PROVIDERS } from '../../domain/sessions/subscription.ts';
import { seen } from '../seen.ts';
import type { RouteTable } from '../route.ts';

export const body = z.strictObject({
  plan: z.string().meta({ description: `${Object.keys(PLANS).join(', ')}, or any other name with provider and price` }),
  provider: z.enum(PLAN_PROVIDERS).optional().meta({ description: "Default: the known plan's" }),
  name: z.string().optional().meta({ description: "For people; default: the known plan's title" }),
  monthlyCost: z.union([z.number(), z.string()]).optional().meta({ description: 'US dollars for each seat' }),
  seats: z.int().min(1).default(1),
  startedAt: z.string().optional().meta({ format: 'date', description: 'Its first day; default: today' }),
  endedAt: z.string().nullable().default(null).meta({ format: 'date', description: 'Its last day' }),
  tokens: z.array(z.string()).default([]).meta({ description: 'Ids of access tokens that it covers; none = all' }),
});

const syncRoute = {
  description:
    'The records of one session and model replace all that was stored of them, so a repeated or larger upload is safe. Only hashes, a model name and numbers are accepted: a field that is not listed is refused.',
  scope: 'sync:write',
  right: 'work',
  body: syncUpload,
  refusal: 'unprocessable',
  answer: syncResult,
} as const;

export const savingRoutes = {
  'POST /api/mcp/sync/claude-code': { summary: 'Upload usage of Claude Code sessions', ...syncRoute },
  'POST /api/mcp/sync/codex': { summary: 'Upload usage of Codex sessions', ...syncRoute },
  'GET /api/mcp/savings': {
    summary: 'What flat-rate subscriptions save, against retail prices',
    description:
      'Retail cost is what local sessions that a subscription covers would cost at the prices of the book, without the calls that went through the gate: those are paid by key.',
    scope: 'usage:read',
    right: 'read',
    query: savingsQuery,
    answer: savings,
  },
  'GET /api/mcp/savings/breakdown': {
    summary: 'Local usage by model, at retail prices, dearest first',
    scope: 'usage:read',
    right: 'read',
    query: savingsQuery,
    answer: savingsBreakdown,
  },
  'GET /api/mcp/plans': {
    summary: 'Flat-rate plans that are known, at list price',
    scope: 'usage:read',
    right: 'read',
    answer: z.array(plan),
  },
  'GET /api/manage/subscriptions': {
    summary: 'Flat-rate subscriptions, ended ones too',
    scope: 'admin',
    right: 'read',
    answer: z.array(subscription),
  },
  'GET /api/mcp/subscriptions': {
    summary: 'Flat-rate subscriptions that hold now',
    scope: 'usage:read',
    right: 'read',
    answer: z.array(subscription),
  },
  'POST /api/manage/subscriptions': {
    summary: 'Add a flat-rate subscription',
    description:
      'Local sessions that it covers are shown in reports and not added to what is owed, from its first day on.',
    scope: 'admin',
    right: 'manage',
    body,
    answer: subscription,
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
        .meta({ format: 'date', description: 'Its last day; default: today; null = it goes on after all' }),
      seen,
    }),
    answer: subscription,
  },
} as const satisfies RouteTable;
