import { applyRequest, applied } from '../apply.ts';
import { z } from 'zod';
import { wholeNumber } from '../fields.ts';
import {
  limitHistory,
  limitsPage,
  limitPreview,
  limitStanding,
  limitFields,
  limit,
  limitSet,
  writtenAmount,
} from '../limits.ts';
import type { RouteTable } from '../route.ts';

const VALUES_MAX = 100;

const VALUES_DEFAULT = 20;

const valuesQuery = z.object({
  values: wholeNumber(1, VALUES_MAX)
    .default(VALUES_DEFAULT)
    .meta({ description: `Most values that are shown for a limit on each value of a tag; default: ${VALUES_DEFAULT}` }),
});

const PAGE_MAX = 10_000;

const PAGE_DEFAULT = 1_000;

/** A limit in requests. Without a scope it counts the whole workspace; by default it blocks. */
export const limitInput = limitFields.partial().required({ unit: true, amount: true });

const raiseEnd = {
  until: z.string().optional().meta({ format: 'date-time', description: 'End of the raise; give this or `for`' }),
  for: z.string().optional().meta({ description: 'Length of the raise from now, for example 2h' }),
};

export const limitRoutes = {
  'POST /api/manage/apply': {
    summary: 'Apply declared providers, prices, keys, policies, limits and webhooks',
    description:
      'Plans the differences and applies them. Applying the same declaration again changes nothing. If any part is invalid, nothing is applied.',
    scope: 'admin',
    right: 'manage',
    body: applyRequest,
    response: applied,
  },
  'GET /api/manage/limits': {
    summary: 'List limits and their counters, oldest first',
    scope: 'usage:read',
    right: 'read',
    query: valuesQuery.extend({
      limit: wholeNumber(1, PAGE_MAX)
        .default(PAGE_DEFAULT)
        .meta({ description: `Page size; default: ${PAGE_DEFAULT}` }),
      cursor: z.string().optional().meta({ description: 'Id of the last item of the previous page' }),
    }),
    response: limitsPage,
  },
  'GET /api/manage/limits/{id}': {
    summary: 'Get a limit and its counters',
    scope: 'usage:read',
    right: 'read',
    query: valuesQuery,
    response: limitStanding,
  },
  'GET /api/manage/limits/{id}/history': {
    summary: 'Get how the window of a limit was used',
    description:
      'Usage of the calls in scope, step by step. By the answering model, for a limit on models. Not for a limit on each session, agent or run.',
    scope: 'usage:read',
    right: 'read',
    query: z.object({
      at: z.string().optional().meta({ format: 'date-time', description: 'An instant in the window; default: now' }),
      value: z.string().optional().meta({ description: 'Value, for a limit on each value of a tag' }),
    }),
    response: limitHistory,
  },
  'POST /api/manage/limits': {
    summary: 'Create a limit',
    description: 'Takes effect within a second and counts the earlier usage of its window.',
    scope: 'admin',
    right: 'manage',
    body: limitInput,
    response: limit,
    status: 201,
  },
  'POST /api/manage/limits/preview': {
    summary: 'Preview a limit: what its calls need, and its effect on the last seven days',
    description:
      'Changes nothing. Calls that were recorded are replayed in order of start with their holds, by the rules of the gateway and the current policies of their keys. Calls that were refused then are not in the history.',
    scope: 'admin',
    right: 'manage',
    body: limitInput,
    response: limitPreview,
  },
  'PUT /api/manage/limits': {
    summary: 'Create a limit, or change the one with the same scope, unit, window and action',
    description:
      "Absent fields of an existing limit don't change. A limit that blocks and one that warns can exist together.",
    scope: 'admin',
    right: 'manage',
    body: limitInput,
    ifMatch: true,
    response: limitSet,
  },
  'PATCH /api/manage/limits/{id}': {
    summary: 'Change a limit',
    description:
      'With another scope, unit or window it starts again from the usage of the new window. The amount may be below the counted usage; the limit then admits no calls.',
    scope: 'admin',
    right: 'manage',
    body: limitFields.partial(),
    ifMatch: true,
    response: limit,
  },
  'DELETE /api/manage/limits/{id}': {
    summary: 'Delete a limit',
    description: 'Deletes its counters too. The ledger keeps all entries.',
    scope: 'admin',
    right: 'manage',
    ifMatch: true,
    response: limit,
  },
  'POST /api/manage/limits/{id}/raise': {
    summary: 'Raise a limit temporarily',
    description: 'Replaces an existing raise. After its end the normal amount applies again.',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({ amount: writtenAmount, ...raiseEnd }),
    ifMatch: true,
    response: limit,
  },
  'DELETE /api/manage/limits/{id}/raise': {
    summary: 'End a raise early',
    scope: 'admin',
    right: 'manage',
    ifMatch: true,
    response: limit,
  },
} as const satisfies RouteTable;
