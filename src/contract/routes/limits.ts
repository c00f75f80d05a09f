import { applyRequest, applied } from '../apply.ts';
import { z } from 'zod';
import { wholeNumber } from '../fields.ts';
import { limitsPage, limitStanding, limitFields, limit, limitSet, writtenAmount, refusedCalls } from '../limits.ts';
import { seen, seenBody } from '../seen.ts';
import type { RouteTable } from '../route.ts';

const VALUES_MAX = 100;

const VALUES_DEFAULT = 20;

const valuesQuery = z.object({
  values: wholeNumber(1, VALUES_MAX)
    .default(VALUES_DEFAULT)
    .meta({ description: `Of a limit on each value of a tag, so many are shown; default: ${VALUES_DEFAULT}` }),
});

const PAGE_MAX = 10_000;

const PAGE_DEFAULT = 1_000;

/** A limit in requests. Without a scope it counts the whole workspace; by default it blocks. */
export const limitInput = limitFields.partial().required({ unit: true, amount: true });

const raiseEnd = {
  until: z.string().optional().meta({ format: 'date-time', description: 'Either this …' }),
  for: z.string().optional().meta({ description: '… or for instance 2h, counted from now' }),
};

export const limitRoutes = {
  'POST /api/manage/apply': {
    summary: 'Make keys, policies, limits and webhooks as they are declared',
    description:
      'Plans what differs and carries it out; the same declaration a second time changes nothing. When anything in it is wrong, nothing is done.',
    scope: 'admin',
    right: 'manage',
    body: applyRequest,
    answer: applied,
  },
  'GET /api/manage/limits': {
    summary: 'List limits and how they stand, oldest first',
    scope: 'usage:read',
    right: 'read',
    query: valuesQuery.extend({
      limit: wholeNumber(1, PAGE_MAX)
        .default(PAGE_DEFAULT)
        .meta({ description: `Of a page; default: ${PAGE_DEFAULT}` }),
      cursor: z.string().optional().meta({ description: 'Id of the last one on the page before' }),
    }),
    answer: limitsPage,
  },
  'GET /api/manage/limits/{id}': {
    summary: 'One limit and how it stands',
    scope: 'usage:read',
    right: 'read',
    query: valuesQuery,
    answer: limitStanding,
  },
  'POST /api/manage/limits': {
    summary: 'Make a limit',
    description: 'It holds within a second and counts what its window has seen already.',
    scope: 'admin',
    right: 'manage',
    body: limitInput,
    answer: limit,
    status: 201,
  },
  'PUT /api/manage/limits': {
    summary: 'Make a limit, or change the one with the same scope, unit, window and action',
    description:
      'Of a limit that is there already, fields that are not given stay as they are. One that blocks and one that warns stand side by side.',
    scope: 'admin',
    right: 'manage',
    body: limitInput,
    answer: limitSet,
  },
  'PATCH /api/manage/limits/{id}': {
    summary: 'Change a limit',
    description:
      'With another scope, unit or window it counts anew, beginning with what that window has seen. An amount below what is counted is taken: the limit then admits nothing.',
    scope: 'admin',
    right: 'manage',
    body: limitFields.partial().extend({ seen }),
    answer: limit,
  },
  'DELETE /api/manage/limits/{id}': {
    summary: 'Remove a limit',
    description: 'Its counters go with it; the book keeps every entry.',
    scope: 'admin',
    right: 'manage',
    body: seenBody,
    answer: limit,
  },
  'POST /api/manage/limits/{id}/raise': {
    summary: 'Raise a limit for a while',
    description: 'Replaces a raise that is there. Afterwards the amount of the limit holds again.',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({ amount: writtenAmount, ...raiseEnd, seen }),
    answer: limit,
  },
  'DELETE /api/manage/limits/{id}/raise': {
    summary: 'End a raise early',
    scope: 'admin',
    right: 'manage',
    body: seenBody,
    answer: limit,
  },
  'GET /api/manage/limits/{id}/refusals': {
    summary: 'Whom a limit refused lately, newest first',
    description: 'At most 20 calls since the gate was started. They were not sent, cost nothing, and are in no book.',
    scope: 'admin',
    right: 'read',
    answer: refusedCalls,
  },
} as const satisfies RouteTable;
