import { z } from 'zod';
import { limitsPage } from '../contract-limits.ts';
import { endpoint } from '../endpoint.ts';
import { wholeNumber } from '../whole-number.ts';
import { standingViews } from './limit-view.ts';
import { valuesQuery } from './values-query.ts';

const PAGE_DEFAULT = 1_000;
const PAGE_MAX = 10_000;

export const listLimits = endpoint({
  method: 'GET',
  path: '/api/manage/limits',
  summary: 'List limits and how they stand, oldest first',
  scope: 'admin',
  query: valuesQuery.extend({
    limit: wholeNumber(1, PAGE_MAX)
      .default(PAGE_DEFAULT)
      .meta({ description: `Of a page; default: ${PAGE_DEFAULT}` }),
    after: z.string().optional().meta({ description: 'Id of the last one on the page before' }),
  }),
  answer: limitsPage,
  async handle({ caller, query }, { records, standings, clock }) {
    const all = await records.limits.list(caller.workspaceId);
    const from = query.after === undefined ? 0 : all.findIndex(({ id }) => id === query.after) + 1;
    const page = all.slice(from, from + query.limit);
    const limits = standingViews(page, await standings(caller.workspaceId), clock(), query.values);
    return { limits, next: from + query.limit < all.length ? (page.at(-1)?.id ?? null) : null };
  },
});
